import type { EntrySummary } from '../../browse/summary.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { card, SHAPE_OF, type CardOptions } from './card.ts'

/** Number of cards that are visible when a page opens. Their pictures are loaded at once. */
const EAGER_CARDS = 6

/** Renders entries as a grid of covers. */
export function entryGrid(
  context: PageContext,
  entries: EntrySummary[],
  { eager = true, ...options }: CardOptions = {},
): Html {
  const [first] = entries
  const shape = first ? SHAPE_OF[first.type] : 'cover'
  return html`<ul class="grid of-${shape}">${entries.map((entry, index) =>
    card(context, entry, { ...options, eager: eager && index < EAGER_CARDS }),
  )}</ul>`
}
