import { SaxesParser } from 'saxes'

/** Element of a response, without its attributes and namespace. */
export type ResponseElement = { name: string; text: string; children: ResponseElement[] }

const MAX_DEPTH = 8

/**
 * Parses the XML of a response. Rejects a DOCTYPE, which could define entities, so memory use is bounded by the length
 * of the text.
 *
 * @returns the root element; undefined for malformed XML
 */
export function parseResponse(text: string): ResponseElement | undefined {
  const parser = new SaxesParser()
  const top: ResponseElement = { name: '', text: '', children: [] }
  const open = [top]
  parser.on('opentag', ({ name }) => {
    if (open.length > MAX_DEPTH) throw new Error('Too many levels')
    const element = { name: name.slice(name.indexOf(':') + 1), text: '', children: [] }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('closetag', () => void open.pop())
  parser.on('text', (part) => {
    const element = open.at(-1)
    if (element) element.text += part
  })
  parser.on('doctype', () => {
    throw new Error('DOCTYPE')
  })
  parser.on('error', (error) => {
    throw error
  })
  try {
    parser.write(text).close()
  } catch {
    return undefined
  }
  return top.children[0]
}

/** Returns the text of the first child with a name; undefined if it is missing or empty. */
export const childText = (element: ResponseElement | undefined, name: string): string | undefined =>
  element?.children.find((child) => child.name === name)?.text.trim() || undefined
