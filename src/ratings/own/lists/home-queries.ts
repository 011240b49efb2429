import { type EntrySummary, entrySummarySql } from '../../../browse/summary.ts'
import { queryRows } from '../../../db/query.ts'
import { statement } from '../../../db/statement.ts'
import type { Database } from '../../../db/database.ts'

/** Works that a user is reading or playing, and those that they plan to. */
export type OwnShelves = { going: EntrySummary[]; planned: EntrySummary[] }

const OWN_SHELVES = statement('ratings.own_shelves').returning<{
  status: string
  entry: EntrySummary | null
}>(`
  select found.status, ${entrySummarySql('found', '$2::boolean')} as entry
  from (
    select rating.*
    from unnest(array['GOING', 'PLAN']) wanted (status)
    cross join lateral (
      select rating.status, rating.kind, rating.work_id as id, rating.updated_at
      from ratings rating
      join shown_works work on work.id = rating.work_id and work.kind = rating.kind
      where rating.account_id = $1 and rating.status = wanted.status and ($2 or not work.nsfw)
      order by rating.updated_at desc, rating.work_id desc
      limit $3
    ) rating
  ) found
  order by found.updated_at desc, found.id desc`)

/** Lists the first works of a user's shelves, most recently updated first. */
export async function listOwnShelves(
  db: Database,
  accountId: number,
  seesNsfw: boolean,
  limit: number,
): Promise<OwnShelves> {
  const rows = await queryRows(db, OWN_SHELVES, [accountId, seesNsfw, limit])
  const entriesOf = (wanted: string) =>
    rows.flatMap(({ status, entry }) => (status === wanted && entry ? [entry] : []))
  return { going: entriesOf('GOING'), planned: entriesOf('PLAN') }
}
