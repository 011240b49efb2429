/** Value of a field. `label` is `''` unless the wiki names the value, as in `[英文名|Old Snake]`. */
export type InfoboxItem = { label: string; value: string }

/**
 * Items of a field. A plain value is one item without a label, and an empty value has no items. Lists keep their empty
 * items.
 */
export type InfoboxField = { key: string; isList: boolean; items: InfoboxItem[] }

const OPENING = '{{Infobox'
const CLOSING = '}}'
/**
 * Maximum length of a line, in characters. It limits the work of the value parsers, which may backtrack over a whole
 * line.
 */
const MAX_LINE_LENGTH = 5_000

/**
 * Parses the fields of a wiki infobox:
 *
 *     {{Infobox animanga/Novel
 *     |作者= 野村美月
 *     |别名={
 *     [Book Girl]
 *     [英文名|Literature Girl]
 *     }
 *     }}
 *
 * @param text lines may end with `\n` or `\r\n`; an empty string has no fields
 * @returns the fields in the order of the text, whose keys may repeat; undefined if the input breaks the grammar or a line is too long. The usual cause is a value that spans lines:
 *   it is unclear where it ends, so the whole infobox is rejected.
 */
export function parseInfobox(text: string): InfoboxField[] | undefined {
  const body = text.trim()
  if (body === '') return []
  if (!body.startsWith(OPENING) || !body.endsWith(CLOSING)) return undefined
  const [, ...lines] = body.slice(OPENING.length, -CLOSING.length).split('\n')
  const fields: InfoboxField[] = []
  let openList: InfoboxField | undefined
  for (const line of lines.map((line) => line.trim()).filter((line) => line !== '')) {
    if (line.length > MAX_LINE_LENGTH) return undefined
    if (openList && line === '}') {
      openList = undefined
    } else if (openList) {
      const item = parseListItem(line)
      if (!item) return undefined
      openList.items.push(item)
    } else {
      const field = parseField(line)
      if (!field) return undefined
      fields.push(field)
      if (field.isList) openList = field
    }
  }
  return openList ? undefined : fields
}

/** Parses `|key= value`, `|key=` or, for the start of a list, `|key={`. */
function parseField(line: string): InfoboxField | undefined {
  const equals = line.indexOf('=')
  if (!line.startsWith('|') || equals < 0) return undefined
  const key = line.slice(1, equals).trim()
  const value = line.slice(equals + 1).trim()
  if (value === '{') return { key, isList: true, items: [] }
  return { key, isList: false, items: value === '' ? [] : [{ label: '', value }] }
}

/** Parses `[value]` or `[label|value]`. Only the first bar is a separator. */
function parseListItem(line: string): InfoboxItem | undefined {
  if (!line.startsWith('[') || !line.endsWith(']')) return undefined
  const content = line.slice(1, -1)
  const bar = content.indexOf('|')
  if (bar < 0) return { label: '', value: content.trim() }
  return { label: content.slice(0, bar).trim(), value: content.slice(bar + 1).trim() }
}
