import type { Database } from '../../db/database.ts'
import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { WorkMerge } from './work-merge.ts'

const KEEP = statement('merging.keep_favorite').returning<{ is_removed: boolean }>(`
  insert into merged_favorites (account_id, merge_id, position, is_removed)
  select
    favorite.account_id, $2, favorite.position,
    exists (select from favorites other where other.account_id = $1 and other.work_id = $4)
  from favorites favorite
  where favorite.account_id = $1 and favorite.work_id = $3
  returning is_removed`)

const REMOVE = statement('merging.remove_favorite').sql(
  'delete from favorites where account_id = $1 and work_id = $2',
)

const MOVE = statement('merging.move_favorite').sql(
  'update favorites set work_id = $3 where account_id = $1 and work_id = $2',
)

/** Moves a user's favorite from a work to the work it is merged into. If both are favorites, one place becomes free. */
export async function moveFavorite(
  trx: Database,
  accountId: number,
  { id, from, into }: WorkMerge,
): Promise<void> {
  const kept = await queryRow(trx, KEEP, [accountId, id, from, into])
  if (kept?.is_removed) await queryRows(trx, REMOVE, [accountId, from])
  else await queryRows(trx, MOVE, [accountId, from, into])
}

const TAKE = statement('merging.take_favorite').returning<{
  position: number
  is_removed: boolean
}>(`
  delete from merged_favorites where account_id = $1 and merge_id = $2
  returning position, is_removed`)

const RESTORE = statement('merging.restore_favorite').sql(`
  insert into favorites (account_id, position, work_id, kind)
  select other.account_id, $2, $3, other.kind
  from favorites other
  where other.account_id = $1 and other.work_id = $4
  on conflict do nothing`)

/** Moves a favorite back when a merge is undone. Users who have since removed the favorite do not get it back. */
export async function restoreFavorite(
  trx: Database,
  accountId: number,
  { id, from, into }: WorkMerge,
): Promise<void> {
  const kept = await queryRow(trx, TAKE, [accountId, id])
  if (kept?.is_removed) await queryRows(trx, RESTORE, [accountId, kept.position, from, into])
  else await queryRows(trx, MOVE, [accountId, into, from])
}
