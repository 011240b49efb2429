import { setImmediate } from 'node:timers/promises'
import { SaxesParser } from 'saxes'
import { decodeUtf8, utf8Decoder } from './utf8.ts'
import { fileFault, shortMessage } from '../../../http/wire/errors/feature-refusals.ts'
import type { Fault } from '../../../http/wire/errors/fault.ts'

/** An element with all it holds. */
export type XmlElement = {
  name: string
  /** Of the file, from 1: where its tag ends. */
  line: number
  attributes: Record<string, string>
  /** Its own text, without that of its children. */
  text: string
  children: XmlElement[]
}

/** Bytes parsed at a time, between which others get their turn. */
const CHUNK = 64 * 1024

/** Elements within elements; real lists have five. */
const MAX_DEPTH = 16

/** Attributes of one element, and elements within one of interest; real ones have a few. */
const MAX_ATTRIBUTES = 64
const MAX_WITHIN = 1_000

/** Chunks in which no element begins: what is between two of them is held, at many times its size. */
const MAX_QUIET = 16

/**
 * Reads an XML file of one kind and hands over its elements of interest one by one, so that no more than one is held.
 * There is no way to make it larger than it is: a DOCTYPE, with which entities would be declared, is refused.
 *
 * @param root name of the outermost element
 * @param paths of the elements of interest below it: `vns/vn`
 * @throws {ApiError} `COMMON_VALIDATION_FAILED`, with line and column, when the file is not well-formed or another one
 */
export async function readXml(
  bytes: Buffer,
  {
    root,
    paths,
    take,
  }: { root: string; paths: readonly string[]; take: (element: XmlElement, path: string) => void },
): Promise<void> {
  const parser = newParser({ root, paths, take })
  const decoder = utf8Decoder()
  let chunksSinceTag = 0
  const anew = () => (chunksSinceTag = 0)
  parser.on('opentagstart', anew)
  for (let from = 0; from < bytes.length; from += CHUNK) {
    const text = decodeUtf8(decoder, bytes.subarray(from, from + CHUNK), false)
    // The parser would tell of it only at the end.
    if (from === 0 && !/^\s*</.test(text)) throw fileFault('file.no_xml')
    parser.write(text)
    if ((chunksSinceTag += 1) > MAX_QUIET) throw fileFault('file.xml_quiet', { line: parser.line })
    await setImmediate()
  }
  parser.write(decodeUtf8(decoder, undefined, true))
  parser.close()
}

function newParser({ root, paths, take }: Parameters<typeof readXml>[1]) {
  const parser = new SaxesParser()
  /** Names of the open elements outside of those of interest. */
  const outside: string[] = []
  /** The open element of interest and those open within it. */
  const inside: XmlElement[] = []
  let attributesSeen = 0
  let within = 0
  /** Path of an element in the innermost open one, below the root. */
  const pathTo = (name: string) => [...outside.slice(1), name].join('/')
  const fault = (code: Fault['code'], params: Fault['params'] = {}) =>
    fileFault(code, { line: parser.line, column: parser.column + 1, ...params })

  parser.on('error', (error) => {
    throw fault('file.xml_syntax', { message: shortMessage(error).replace(/^\d+:\d+: /, '') })
  })
  parser.on('doctype', () => {
    throw fault('file.xml_doctype')
  })
  parser.on('attribute', () => {
    if ((attributesSeen += 1) > MAX_ATTRIBUTES)
      throw fault('file.xml_attributes', { max: MAX_ATTRIBUTES })
  })
  parser.on('opentag', ({ name, attributes }) => {
    attributesSeen = 0
    const depth = outside.length + inside.length
    if (depth === 0 && name !== root)
      throw fault('file.xml_root', { found: name.slice(0, 40).toWellFormed(), root })
    if (depth >= MAX_DEPTH) throw fault('file.xml_depth', { max: MAX_DEPTH })
    if (inside.length === 0 && !paths.includes(pathTo(name))) {
      outside.push(name)
      return
    }
    within = inside.length === 0 ? 0 : within + 1
    if (within > MAX_WITHIN) throw fault('file.xml_within', { max: MAX_WITHIN })
    const element = { name, line: parser.line, attributes, text: '', children: [] }
    inside.at(-1)?.children.push(element)
    inside.push(element)
  })
  const addText = (text: string) => {
    const element = inside.at(-1)
    if (element) element.text += text
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    const element = inside.pop()
    if (!element) outside.pop()
    else if (inside.length === 0) take(element, pathTo(element.name))
  })
  return parser
}

/** The text of the first child of that name, without the space around it; undefined when there is none or it is empty. */
export function textOf({ children }: XmlElement, name: string): string | undefined {
  return children.find((child) => child.name === name)?.text.trim() || undefined
}
