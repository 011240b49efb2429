import { html, type Html } from '../../pages/html.ts'

const LINK = /\[url=[^\]]*\]([^[]*)\[\/url\]/gi
/** What sources hide until it is asked for. */
const HIDDEN = /\[(spoiler|mask)\][^]*?\[\/\1\]/gi
const MARK = /\[\/?(?:b|i|u|s|raw|code|quote|spoiler|mask|url|img|size|color)(?:=[^\]]*)?\]/gi

/** A source's text without its BBCode: of links the words, of what it hides nothing. */
export const unmarkedText = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll(LINK, '$1').replaceAll(HIDDEN, '…').replaceAll(MARK, '').trim()

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
