import { WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { recordOf } from '../../kernel/typed-records.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import { type EntrySummary, summarySql } from '../summary.ts'

/** Shelves of the home page: the first works in each order. */
export type Shelves = {
  /** Works of all kinds by release date, without announced ones. */
  newest: EntrySummary[]
  popular: EntrySummary[]
  /** Works of each kind by weighted score, without those that have too few scores and votes. */
  best: Record<WorkKind, EntrySummary[]>
}

/**
 * SQL for the first `$3` works of a shelf. The first works of each kind and visibility are read from the index of the
 * order.
 *
 * @param shelf SQL for the shelf's name
 */
function shelfSql(shelf: string, columns: string[], condition: string) {
  const order = columns.map((column) => `${column} desc`).join(', ')
  return `
    select ${shelf} as shelf, row_number() over (partition by ${shelf} order by ${order}) as place, first.kind, first.id
    from unnest($1::text[]) work (kind)
    cross join unnest($2::boolean[]) visible (nsfw)
    cross join lateral (
      select *
      from listings
      where listings.kind = work.kind and listings.nsfw = visible.nsfw and ${condition}
      order by ${order}
      limit $3
    ) first`
}

const SELECT = statement('browse.shelves').returning<{
  shelf: string
  entry: EntrySummary | null
}>(`
  select found.shelf, ${summarySql('listing', '$5::boolean', WORK_KINDS)} as entry
  from (
    ${[
      shelfSql(
        `'newest'`,
        ['released', '(-id)'],
        `released <= $4::date and released > '-infinity'`,
      ),
      shelfSql(`'popular'`, ['popularity_full', '(-id)'], 'popularity_full > 0'),
      shelfSql('first.kind', ['weighted_score', 'popularity_full', '(-id)'], 'weighted_score > 0'),
    ].join(`
    union all`)}
  ) found
  join listings listing on listing.kind = found.kind and listing.id = found.id
  where found.place <= $3
  order by found.shelf, found.place`)

/**
 * Lists the works of all shelves.
 *
 * @param today latest release date of released works, `YYYY-MM-DD`
 */
export async function listShelves(
  db: Reads,
  { limit, seesNsfw, today }: { limit: number; seesNsfw: boolean; today: string },
): Promise<Shelves> {
  const visible = seesNsfw ? [false, true] : [false]
  const rows = await queryRows(db, SELECT, [WORK_KINDS, visible, limit, today, seesNsfw])
  const shelves = Map.groupBy(rows, ({ shelf }) => shelf)
  const entriesOf = (name: string) => (shelves.get(name) ?? []).flatMap(({ entry }) => entry ?? [])
  return {
    newest: entriesOf('newest'),
    popular: entriesOf('popular'),
    best: recordOf(WORK_KINDS, entriesOf),
  }
}
