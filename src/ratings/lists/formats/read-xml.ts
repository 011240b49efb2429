import { setImmediate } from 'node:timers/promises'
import { SaxesParser } from 'saxes'
import { decodeUtf8, utf8Decoder } from './utf8.ts'
import { fileFault, shortMessage } from '../../../http/wire/errors/feature-refusals.ts'
import type { Fault } from '../../../http/wire/errors/fault.ts'

export type XmlElement = {
  name: string
  /** Line on which the start tag ends, starting at 1. */
  line: number
  attributes: Record<string, string>
  /** The element's own text, without the text of its children. */
  text: string
  children: XmlElement[]
}

/** Number of bytes parsed between two turns of the event loop. */
const CHUNK_BYTES = 64 * 1024

/** Maximum nesting depth of elements. Real lists have five levels. */
const MAX_DEPTH = 16

/** Limits per element. Real elements have a few attributes and descendants. */
const MAX_ATTRIBUTES = 64
const MAX_DESCENDANTS = 1_000

/** Maximum number of chunks between two start tags. To buffer such text, the parser needs many times its size. */
const MAX_CHUNKS_BETWEEN_TAGS = 16

/**
 * Reads an XML file and passes the selected elements on one at a time, so that only one is in memory. Rejects a
 * DOCTYPE, because entities could expand to a much larger document.
 *
 * @param root name of the outermost element
 * @param paths paths of the selected elements below it, such as `vns/vn`
 * @throws {ApiError} `COMMON_VALIDATION_FAILED`, with line and column, if the file is not well-formed or has another
 * root
 */
export async function readXml(
  bytes: Buffer,
  {
    root,
    paths,
    onElement,
  }: {
    root: string
    paths: readonly string[]
    onElement: (element: XmlElement, path: string) => void
  },
): Promise<void> {
  const parser = newParser({ root, paths, onElement })
  const decoder = utf8Decoder()
  let chunksSinceTag = 0
  parser.on('opentagstart', () => {
    chunksSinceTag = 0
  })
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
    const text = decodeUtf8(decoder, bytes.subarray(from, from + CHUNK_BYTES), false)
    // The parser would report this error only at the end.
    if (from === 0 && !/^\s*</.test(text)) throw fileFault('file.no_xml')
    parser.write(text)
    if ((chunksSinceTag += 1) > MAX_CHUNKS_BETWEEN_TAGS)
      throw fileFault('file.xml_quiet', { line: parser.line })
    await setImmediate()
  }
  parser.write(decodeUtf8(decoder, undefined, true))
  parser.close()
}

function newParser({ root, paths, onElement }: Parameters<typeof readXml>[1]) {
  const parser = new SaxesParser()
  /** Names of the open elements above the selected ones. */
  const outside: string[] = []
  /** The open selected element, and the open elements within it. */
  const inside: XmlElement[] = []
  let attributesSeen = 0
  let descendants = 0
  /** Path of a child of the innermost open element, relative to the root. */
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
    descendants = inside.length === 0 ? 0 : descendants + 1
    if (descendants > MAX_DESCENDANTS) throw fault('file.xml_within', { max: MAX_DESCENDANTS })
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
    else if (inside.length === 0) onElement(element, pathTo(element.name))
  })
  return parser
}

/** Whether an element has any text, attributes or children. */
export const hasContent = ({ text, attributes, children }: XmlElement): boolean =>
  text.trim() !== '' || children.length > 0 || Object.keys(attributes).length > 0

/** Returns the trimmed text of the first child with this name, or undefined if it is empty. */
export function textOf({ children }: XmlElement, name: string): string | undefined {
  return children.find((child) => child.name === name)?.text.trim() || undefined
}
