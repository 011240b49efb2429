import { html, type Html } from '../../ui/html.ts'

const BBCODE_LINK = /\[url=[^\][]*\]([^[]*)\[\/url\]/gi
const BBCODE_TAG =
  /\[\/?(?:b|i|u|s|raw|code|quote|spoiler|mask|url|img|size|color)(?:=[^\][]*)?\]/gi
/** Matches the tags that begin and end a spoiler in a source's text. */
const SPOILER_TAG = /\[(\/?)(spoiler|mask)\]/gi

/** Removes BBCode from a source's text. Links keep their text; spoilers are replaced. */
export const stripBBCode = (text: string): string =>
  hideSpoilers(text.replaceAll('\r\n', '\n').replaceAll(BBCODE_LINK, '$1'))
    .replaceAll(BBCODE_TAG, '')
    .trim()

/** Replaces each spoiler with an ellipsis. */
function hideSpoilers(text: string): string {
  const marks = [...text.matchAll(SPOILER_TAG)].map(
    ({ 0: mark, 1: slash, 2: name = '', index }) => ({
      isEnd: slash !== '',
      name: name.toLowerCase(),
      index,
      end: index + mark.length,
    }),
  )
  const lastEnds = new Map(
    marks.filter(({ isEnd }) => isEnd).map(({ name, index }) => [name, index]),
  )
  let shown = ''
  let from = 0
  let hiding: string | undefined
  for (const { isEnd, name, index, end } of marks) {
    // A tag that is never closed hides nothing.
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

/** Renders text as paragraphs. */
export function paragraphs(text: string, lang?: string): Html {
  const parts = text.split(/\n{2,}/).filter((part) => part.trim() !== '')
  return html`${parts.map((part) => html`<p${lang !== undefined && html` lang="${lang}"`}>${withBreaks(part, (line) => html`${line}`)}</p>`)}`
}

const URL_IN_TEXT = /https?:\/\/[^\s<>"'）」』】]+[^\s<>"'.,;:!?)）」』】。、]/g

/** Renders text written by a user as paragraphs. URLs become links with `rel="nofollow ugc"`. */
export function userText(text: string): Html {
  const parts = text.split(/\n{2,}/).filter((part) => part.trim() !== '')
  return html`${parts.map((part) => html`<p>${withBreaks(part, linkUrls)}</p>`)}`
}

function linkUrls(line: string): Html {
  const parts: Html[] = []
  let from = 0
  for (const { 0: url, index } of line.matchAll(URL_IN_TEXT)) {
    parts.push(
      html`${line.slice(from, index)}<a href="${url}" rel="nofollow ugc noopener">${url}</a>`,
    )
    from = index + url.length
  }
  return html`${parts}${line.slice(from)}`
}

const withBreaks = (text: string, render: (line: string) => Html) =>
  text
    .trim()
    .split('\n')
    .map((line, index) => html`${index > 0 && html`<br>`}${render(line)}`)
