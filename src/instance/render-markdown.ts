import createMarkdown, { type MarkdownIt, type Token } from 'markdown-it'
import { Html } from '../ui/html.ts'

/**
 * Renders CommonMark with tables. HTML in the text is shown as text. Links lead to http, https and mailto URLs, to
 * pages of this site, and to headings. Pictures are left out, because they could be on other servers.
 */
const markdown = createMarkdown('default', { html: false, linkify: false, typographer: false })
  .disable('image')
  .use(identifyHeadings)
  .use(makeTablesScroll)
markdown.validateLink = (url) =>
  /^(https?:\/\/|mailto:|\/(?![/\\])|#|[\w.-]+(?:$|[?#/]))/i.test(url)

/** @returns `title`, the first heading, if the text begins with one of the first level; `body` is the rest */
export function render(text: string): { title: string | undefined; body: Html } {
  const tokens = markdown.parse(text, {})
  const [first, heading] = tokens
  const hasTitle = first?.type === 'heading_open' && first.tag === 'h1'
  const rest = hasTitle ? tokens.slice(3) : tokens
  return {
    title: hasTitle ? plainText(heading?.children ?? []) : undefined,
    body: new Html(markdown.renderer.render(rest, markdown.options, {})),
  }
}

const plainText = (tokens: readonly Token[]): string =>
  tokens.map(({ content, type }) => (type === 'softbreak' ? ' ' : content)).join('')

/** IDs of elements in the frame of pages. */
const PAGE_IDS = ['content', 'find']

/** Gives each heading an ID, so that links can lead to it. */
function identifyHeadings(renderer: MarkdownIt) {
  renderer.core.ruler.push('heading_ids', ({ tokens }) => {
    const used = new Set(PAGE_IDS)
    /** Number of headings with the same text. Counting from 2 for each would take quadratic time. */
    const repeated = new Map<string, number>()
    for (const [index, token] of tokens.entries()) {
      if (token.type !== 'heading_open') continue
      const text = plainText(tokens[index + 1]?.children ?? [])
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
        .replaceAll(/^-|-$/g, '')
      const name = text || 'section'
      let number = repeated.get(name) ?? 0
      let id
      do {
        number += 1
        id = number === 1 ? name : `${name}-${number}`
      } while (used.has(id))
      used.add(id)
      repeated.set(name, number)
      token.attrSet('id', id)
    }
  })
}

/** Lets wide tables scroll by themselves, also with the keyboard. */
function makeTablesScroll({ renderer: { rules } }: MarkdownIt) {
  rules['table_open'] = () => '<div class="scrolling" tabindex="0"><table>\n'
  rules['table_close'] = () => '</table></div>\n'
}
