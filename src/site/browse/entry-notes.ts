import { findBestKnown } from '../../browse/back-links/best-known-queries.ts'
import type { LinkedKind } from '../../browse/back-links/queries.ts'
import type { EntrySummary } from '../../browse/summary.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import { html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { EntryNotes } from '../components/card.ts'
import { shownTitles } from '../components/titles.ts'
import { langOf } from '../entry/facts-view.ts'
import { roleName } from '../entry/labels.ts'

/** Finds the usual role and the most popular work of each listed person, producer or character. */
export async function findEntryNotes(
  db: Reads,
  context: PageContext,
  {
    kind,
    entries,
    seesNsfw,
  }: { kind: LinkedKind; entries: readonly EntrySummary[]; seesNsfw: boolean },
): Promise<EntryNotes> {
  const ids = entries.map(({ id }) => id)
  const known = await findBestKnown(db, kind, ids, seesNsfw)
  return new Map(
    [...known].map(([id, { role, work }]) => {
      const [title] = shownTitles(context, work)
      return [
        id,
        html`${role !== null && `${roleName(context.messages, role)} · `}<span${langOf(title.lang)}>${title.text}</span>`,
      ]
    }),
  )
}
