/** Block of the Markdown subset that our pages use. */
export type Block =
  | { kind: 'heading'; level: number; id: string; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'list'; isOrdered: boolean; items: string[] }
  | { kind: 'table'; head: string[]; rows: string[][] }
  | { kind: 'code'; info: string; text: string }
  /** Line `::name argument`, which the program replaces with generated content. */
  | { kind: 'made'; name: string; argument: string }

/** Returns a text without markup and link targets. */
export const withoutMarkup = (text: string): string =>
  text.replaceAll(/[`*]/g, '').replaceAll(/\[([^\]]{0,200})\]\([^)]{0,500}\)/g, '$1')

/** Parses headings (`## Text {#id}`), paragraphs, lists, tables, fenced code, and lines `::name`. */
export function readMarkdown(text: string): Block[] {
  const blocks: Block[] = []
  const remainingLines = text.split('\n')
  let gathered: string[] = []
  const close = () => {
    if (gathered.length > 0) blocks.push(blockOf(gathered))
    gathered = []
  }
  for (let line = remainingLines.shift(); line !== undefined; line = remainingLines.shift()) {
    const fence = /^```(.*)$/.exec(line)
    const heading = /^(#{1,3}) (.*?)(?: \{#([\w-]+)\})?$/.exec(line)
    const directive = /^::([\w-]+)(?: (.*))?$/.exec(line)
    if (fence || heading || directive || line.trim() === '') close()
    if (fence) {
      const end = remainingLines.findIndex((other) => other.startsWith('```'))
      const code = remainingLines.splice(0, end === -1 ? remainingLines.length : end + 1)
      blocks.push({ kind: 'code', info: fence[1] ?? '', text: code.slice(0, end).join('\n') })
    } else if (heading) {
      const [, marks = '', title = '', id = idOf(title)] = heading
      blocks.push({ kind: 'heading', level: marks.length, id, text: title })
    } else if (directive)
      blocks.push({ kind: 'made', name: directive[1] ?? '', argument: directive[2] ?? '' })
    else if (line.trim() !== '') gathered.push(line)
  }
  close()
  return blocks
}

/** Parses consecutive non-empty lines. */
function blockOf(lines: string[]): Block {
  const [first = ''] = lines
  if (first.startsWith('|')) {
    const [head = [], , ...rows] = lines.map(cellsOf)
    return { kind: 'table', head, rows }
  }
  const isOrdered = /^\d+\. /.test(first)
  if (!isOrdered && !first.startsWith('- ')) return { kind: 'paragraph', text: joined(lines) }
  const mark = isOrdered ? /^\d+\. / : /^- /
  const items: string[] = []
  for (const line of lines) {
    const last = items.pop()
    if (last === undefined || mark.test(line))
      items.push(...(last === undefined ? [] : [last]), line.replace(mark, ''))
    else items.push(joined([last, line.trim()]))
  }
  return { kind: 'list', isOrdered, items }
}

/** Joins lines with spaces, except between Chinese or Japanese characters and around their punctuation. */
const joined = (lines: string[]) =>
  lines.reduce((text, line) =>
    NO_SPACE.test(`${text.slice(-1)}\n${line}`) ? text + line : `${text} ${line}`,
  )

const WIDE = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]`
const PUNCTUATION = '[、。，；：（）「」]'
const NO_SPACE = new RegExp(`^${PUNCTUATION}\\n|\\n${PUNCTUATION}|^${WIDE}\\n${WIDE}`, 'u')

const cellsOf = (line: string) =>
  line
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim())

const idOf = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^\w]+/g, '-')
    .replaceAll(/^-|-$/g, '')
