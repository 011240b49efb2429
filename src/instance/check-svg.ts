import { SaxesParser } from 'saxes'

/** Elements that run code, embed other documents, or change links. */
const FORBIDDEN_ELEMENTS = new Set([
  'script',
  'foreignobject',
  'iframe',
  'object',
  'embed',
  'image',
  'feimage',
  'audio',
  'video',
  'a',
  'set',
  'handler',
  'listener',
])
/** Attributes that name what an element refers to, with any prefix. */
const REFERENCES = new Set(['href', 'src', 'base'])
const MAX_DEPTH = 100
const MAX_ELEMENTS = 5_000

/** Names without a namespace prefix, in lower case, because HTML parsers ignore both. */
const plain = (name: string) => name.replace(/^.*:/, '').toLowerCase()

/**
 * Returns why a drawing is unsafe; undefined if it only draws: it has no scripts, and refers to nothing outside itself.
 */
export function findSvgFault(text: string): string | undefined {
  let fault: string | undefined
  const refuse = (reason: string) => {
    fault ??= reason
  }
  let depth = 0
  let elements = 0
  let style = ''
  let isInStyle = false
  const parser = new SaxesParser()
  parser.on('error', (error) => refuse(`it is not well-formed XML (${error.message})`))
  parser.on('doctype', () => refuse('it has a document type, which can define entities'))
  parser.on('processinginstruction', ({ target }) =>
    refuse(`it has a processing instruction (${target})`),
  )
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1
    elements += 1
    if (elements === 1 && name !== 'svg') refuse('its root element is not svg')
    if (depth > MAX_DEPTH || elements > MAX_ELEMENTS) refuse('it has too many elements')
    const element = plain(name)
    if (FORBIDDEN_ELEMENTS.has(element)) refuse(`it has the element ${name}`)
    // Browsers join the text around such an element.
    if (isInStyle) refuse(`its styles contain the element ${name}`)
    isInStyle = element === 'style'
    for (const [attribute, value] of Object.entries(attributes)) {
      if (plain(attribute).startsWith('on')) refuse(`it has the attribute ${attribute}`)
      if (REFERENCES.has(plain(attribute)) && !/^\s*#/.test(value))
        refuse(`${attribute} refers to something outside the file`)
      if (element.startsWith('animate') && plain(attribute) === 'attributename')
        if (/href|^on/i.test(value)) refuse(`it animates ${value}`)
      checkStyle(value)
    }
    style = ''
  })
  const collect = (part: string) => {
    style += part
  }
  parser.on('text', collect)
  parser.on('cdata', collect)
  parser.on('closetag', () => {
    depth -= 1
    isInStyle = false
    checkStyle(style)
    style = ''
  })
  /** CSS can load files with `url()`, `image-set()` and `@import`. Escapes could hide their names. */
  function checkStyle(css: string) {
    const rest = css.replaceAll(/url\(\s*(["']?)#[\w.:-]+\1\s*\)/gi, '')
    if (/url\s*\(|image-set\s*\(|@import|javascript:|\\/i.test(rest))
      refuse('it refers to something outside the file')
  }
  parser.write(text).close()
  return fault
}

/** Returns the proportions of a drawing, from its `viewBox` or its size; undefined if it has neither. */
export function svgSize(text: string): { width: number; height: number } | undefined {
  let root: Record<string, string> | undefined
  const parser = new SaxesParser()
  parser.on('error', () => {})
  parser.on('opentag', ({ attributes }) => {
    root ??= attributes
  })
  parser.write(text).close()
  const [, , width, height] = (root?.['viewBox'] ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  if (width && height && width > 0 && height > 0) return { width, height }
  const [ownWidth, ownHeight] = ['width', 'height'].map((name) =>
    Number.parseFloat(root?.[name] ?? ''),
  )
  return ownWidth && ownHeight && ownWidth > 0 && ownHeight > 0
    ? { width: ownWidth, height: ownHeight }
    : undefined
}
