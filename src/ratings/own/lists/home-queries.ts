import { type EntrySummary, entrySummarySql } from '../../../browse/summary.ts'
import { WORK_KINDS, type WorkKind } from '../../../catalog/kinds.ts'
import { queryRow, queryRows } from '../../../db/query.ts'
import { statement } from '../../../db/statement.ts'
import type { Database } from '../../../db/database.ts'

/** Works that a user is reading or playing, and those that they plan to. */
export type OwnShelves = { going: EntrySummary[]; planned: EntrySummary[] }

const OWN_SHELVES = statement('ratings.own_shelves').returning<{
  status: string
  entry: EntrySummary | null
}>(`
  select found.status, ${entrySummarySql('found', '$2::boolean', WORK_KINDS)} as entry
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

const RANDOM_PLAN = statement('ratings.random_plan').returning<{ kind: WorkKind; id: number }>(`
  select rating.kind, rating.work_id as id
  from ratings rating
  join listings listing on listing.kind = rating.kind and listing.id = rating.work_id
  where rating.account_id = $1 and rating.status = 'PLAN'
    and ($2::text is null or rating.kind = $2) and ($3 or not listing.nsfw)
  order by random()
  limit 1`)

/** Returns a random work that a user plans to read or play; undefined if the list has no such work that the user sees. */
export const findRandomPlan = (
  db: Database,
  accountId: number,
  kind: WorkKind | undefined,
  seesNsfw: boolean,
) => queryRow(db, RANDOM_PLAN, [accountId, kind ?? null, seesNsfw])
