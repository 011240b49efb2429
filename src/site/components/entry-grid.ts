import type { EntrySummary } from '../../browse/summary.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { card, SHAPE_OF, type CardOptions } from './card.ts'

/** Cards in view when a page opens; their pictures are loaded at once. */
const IN_VIEW = 6

/** Entries by their covers. */
export function entryGrid(
  context: PageContext,
  entries: EntrySummary[],
  { showsKind = false, eager = true }: CardOptions = {},
): Html {
  const [first] = entries
  const shape = first ? SHAPE_OF[first.type] : 'cover'
  return html`<ul class="grid of-${shape}">${entries.map((entry, index) =>
    card(context, entry, { eager: eager && index < IN_VIEW, showsKind }),
  )}</ul>`
}
