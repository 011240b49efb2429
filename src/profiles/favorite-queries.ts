import { listSummaries } from '../browse/summary-queries.ts'
import type { EntrySummary } from '../browse/summary.ts'
import type { WorkKind } from '../catalog/kinds.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import { inTransaction } from '../db/transaction.ts'

/** Number of works that a user may show at the top of the profile. */
export const MAX_FAVORITES = 4

export type FavoriteKey = { kind: WorkKind; id: number }

const LIST = statement('profiles.list_favorites').returning<FavoriteKey>(`
  select favorite.kind, favorite.work_id as id
  from favorites favorite
  join shown_works shown on shown.id = favorite.work_id
  where favorite.account_id = $1 and ($2 or not shown.nsfw)
  order by favorite.position`)

/** Lists a user's favorites in order, without those that the viewer may not see. */
export const listFavoriteKeys = (
  db: Database,
  accountId: number,
  seesNsfw: boolean,
): Promise<FavoriteKey[]> => queryRows(db, LIST, [accountId, seesNsfw])

export const listFavorites = async (
  db: Database,
  accountId: number,
  seesNsfw: boolean,
): Promise<EntrySummary[]> =>
  listSummaries(db, await listFavoriteKeys(db, accountId, seesNsfw), seesNsfw)

const SUGGEST = statement('profiles.suggest_favorites').returning<FavoriteKey>(`
  select rating.kind, rating.work_id as id
  from ratings rating
  join shown_works work on work.id = rating.work_id
  where rating.account_id = $1 and not rating.status_private and ($2 or not work.nsfw)
  order by rating.rate desc nulls last, rating.updated_at desc, rating.work_id desc
  limit $3`)

/** Lists the works that a user has rated best, as suggestions for favorites. */
export const suggestFavorites = async (
  db: Database,
  accountId: number,
  seesNsfw: boolean,
  limit: number,
): Promise<EntrySummary[]> =>
  listSummaries(db, await queryRows(db, SUGGEST, [accountId, seesNsfw, limit]), seesNsfw)

const FIND_WORKS = statement('profiles.find_favorite_works').returning<FavoriteKey>(`
  select work.kind, work.id
  from shown_works work
  where work.id = any($2::bigint[])
    and (
      $3 or not work.nsfw
      or exists (select from favorites kept where kept.account_id = $1 and kept.work_id = work.id)
    )`)

/** Returns those of the works that a user may choose: works that the user sees, and present favorites. */
export const findFavoriteWorks = (
  db: Database,
  accountId: number,
  ids: readonly number[],
  seesNsfw: boolean,
): Promise<FavoriteKey[]> => queryRows(db, FIND_WORKS, [accountId, [...ids], seesNsfw])

const LOCK = statement('profiles.lock_favorites').sql(
  'select from account_refs where id = $1 for no key update',
)

const DELETE = statement('profiles.delete_favorites').sql(
  'delete from favorites where account_id = $1',
)

const INSERT = statement('profiles.insert_favorites').sql(`
  insert into favorites (account_id, position, work_id, kind)
  select $1, wanted.position, work.id, work.kind
  from unnest($2::bigint[]) with ordinality wanted (id, position)
  join work_refs work on work.id = wanted.id
  order by wanted.position
  for key share of work`)

/**
 * Replaces a user's favorites.
 *
 * @param ids distinct works in order, from `findFavoriteWorks`; at most `MAX_FAVORITES`
 */
export const saveFavorites = (
  db: Database,
  accountId: number,
  ids: readonly number[],
): Promise<void> =>
  inTransaction(db, async (trx) => {
    // The lock keeps concurrent requests from mixing their works. The account may have been deleted.
    if (!(await queryRow(trx, LOCK, [accountId]))) return
    await queryRows(trx, DELETE, [accountId])
    await queryRows(trx, INSERT, [accountId, [...ids]])
  })
