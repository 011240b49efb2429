import { html, type Html } from '../../ui/html.ts'

const LINK = /\[url=[^\][]*\]([^[]*)\[\/url\]/gi
const MARK = /\[\/?(?:b|i|u|s|raw|code|quote|spoiler|mask|url|img|size|color)(?:=[^\][]*)?\]/gi
/** Matches the marks that begin and end a spoiler in a source's text. */
const HIDING = /\[(\/?)(spoiler|mask)\]/gi

/** A source's text without its BBCode: of links the words, of what it hides nothing. */
export const unmarkedText = (text: string): string =>
  withoutHidden(text.replaceAll('\r\n', '\n').replaceAll(LINK, '$1')).replaceAll(MARK, '').trim()

/** Replaces each spoiler with an ellipsis. */
function withoutHidden(text: string): string {
  const marks = [...text.matchAll(HIDING)].map(({ 0: mark, 1: slash, 2: name = '', index }) => ({
    isEnd: slash !== '',
    name: name.toLowerCase(),
    index,
    end: index + mark.length,
  }))
  const lastEnds = new Map(
    marks.filter(({ isEnd }) => isEnd).map(({ name, index }) => [name, index]),
  )
  let shown = ''
  let from = 0
  let hiding: string | undefined
  for (const { isEnd, name, index, end } of marks) {
    // A mark without an end hides nothing.
    if (hiding === undefined && !isEnd && index < (lastEnds.get(name) ?? -1)) {
      shown += `${text.slice(from, index)}…`
      hiding = name
    } else if (isEnd && hiding === name) {
      from = end
      hiding = undefined
    }
  }
  return shown + text.slice(from)
}

/** A text as paragraphs. */
export function paragraphs(text: string, lang?: string): Html {
  const parts = text.split(/\n{2,}/).filter((part) => part.trim() !== '')
  return html`${parts.map((part) => html`<p${lang !== undefined && html` lang="${lang}"`}>${withBreaks(part, (line) => html`${line}`)}</p>`)}`
}

const ADDRESS = /https?:\/\/[^\s<>"'）」』】]+[^\s<>"'.,;:!?)）」』】。、]/g

/** What a reader has written, as paragraphs; addresses in it are links that give nothing to whom they lead. */
export function readersText(text: string): Html {
  const parts = text.split(/\n{2,}/).filter((part) => part.trim() !== '')
  return html`${parts.map((part) => html`<p>${withBreaks(part, linked)}</p>`)}`
}

function linked(line: string): Html {
  const parts: Html[] = []
  let from = 0
  for (const { 0: address, index } of line.matchAll(ADDRESS)) {
    parts.push(
      html`${line.slice(from, index)}<a href="${address}" rel="nofollow ugc noopener">${address}</a>`,
    )
    from = index + address.length
  }
  return html`${parts}${line.slice(from)}`
}

const withBreaks = (text: string, render: (line: string) => Html) =>
  text
    .trim()
    .split('\n')
    .map((line, index) => html`${index > 0 && html`<br>`}${render(line)}`)
