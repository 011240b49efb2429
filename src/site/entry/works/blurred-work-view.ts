import type { PageContext } from '../../../ui/page/page-context.ts'
import type { View } from '../../../ui/page/page.ts'
import { html } from '../../../ui/html.ts'
import { blurredWorkNotice } from '../../adult-works/hidden-works.ts'
import type { Credit, WorkData } from '../entry-data.ts'
import { entryHead } from '../entry-head.ts'
import { toShownWork } from './shown-work.ts'

/** Renders the page of an adult work for viewers who have not turned them on: what lists show of it, and no more. */
export function blurredWorkView(context: PageContext, work: WorkData, producers: Credit[]): View {
  const shown = toShownWork(context, work, producers)
  const { kind, id, titles, covers, date, madeBy } = shown
  const { kinds, browse: texts } = context.messages
  const head = entryHead(context, {
    kind,
    id,
    titles,
    media: covers[0],
    blurred: true,
    shape: 'cover',
    facts: [
      html`<span class="adult" title="${texts.adults}">${texts.adultsMark}</span>`,
      kinds[kind],
      date?.slice(0, 4),
      madeBy,
    ],
  })
  return {
    title: titles[0].text,
    body: html`<article class="work">${head}<div class="entry-text">${blurredWorkNotice(context)}</div></article>`,
    head: { robots: 'noindex' },
  }
}
