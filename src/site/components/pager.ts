import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'

export type PagerOptions = {
  /** Current page, starting at 1. */
  page: number
  /** Last page that can be requested. */
  last: number
  pathOf: (page: number) => string
}

/**
 * Renders links to the previous and next page, the first page and nearby ones; undefined if there is only one page.
 */
export function pager(
  { messages }: PageContext,
  { page, last, pathOf }: PagerOptions,
): Html | undefined {
  if (last <= 1 && page === 1) return undefined
  const { browse: texts } = messages
  const near = [1, page - 2, page - 1, page, page + 1, page + 2]
  const shown = [...new Set(near)].filter((number) => number >= 1 && number <= Math.max(last, page))
  const links = shown.map((number, index) => {
    const gap =
      index > 0 && number - (shown[index - 1] ?? 0) > 1 && html`<li aria-hidden="true">…</li>`
    const mark = number === page && html` aria-current="page"`
    return html`${gap}<li><a href="${pathOf(number)}" aria-label="${texts.page({ number: String(number) })}"${mark}>${number}</a></li>`
  })
  return html`<nav class="pager" aria-label="${texts.pages}"><ul>
${page > 1 && html`<li><a href="${pathOf(page - 1)}" rel="prev">← ${texts.previous}</a></li>`}
${links}
${page < last && html`<li><a href="${pathOf(page + 1)}" rel="next">${texts.next} →</a></li>`}
</ul></nav>`
}
