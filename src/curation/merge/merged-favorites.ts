import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/** Merge of two works. */
type Merge = { id: number; kind: string; from: number; into: number }

/** Moves users' favorites from a work to the work it is merged into. If both are favorites, one place becomes free. */
export async function moveFavorites(trx: Database, { id, from, into }: Merge): Promise<void> {
  await sql`
    insert into merged_favorites (account_id, merge_id, position, is_removed)
    select
      favorite.account_id, ${id}, favorite.position,
      exists (
        select from favorites other where other.account_id = favorite.account_id and other.work_id = ${into}
      )
    from favorites favorite
    where favorite.work_id = ${from}
    order by favorite.account_id`.execute(trx)
  await sql`
    delete from favorites favorite
    using merged_favorites kept
    where kept.merge_id = ${id} and kept.is_removed
      and favorite.account_id = kept.account_id
      and favorite.work_id = ${from}`.execute(trx)
  await sql`update favorites set work_id = ${into} where work_id = ${from}`.execute(trx)
}

/** Moves favorites back when a merge is undone. Users who have since removed the favorite do not get it back. */
export async function restoreFavorites(
  trx: Database,
  { id, kind, from, into }: Merge,
): Promise<void> {
  await sql`
    insert into favorites (account_id, position, work_id, kind)
    select kept.account_id, kept.position, ${from}::bigint, ${kind}
    from merged_favorites kept
    join favorites other on other.account_id = kept.account_id and other.work_id = ${into}
    where kept.merge_id = ${id} and kept.is_removed
    order by kept.account_id
    on conflict do nothing`.execute(trx)
  await sql`
    update favorites favorite set work_id = ${from}
    from merged_favorites kept
    where kept.merge_id = ${id} and not kept.is_removed
      and favorite.account_id = kept.account_id
      and favorite.work_id = ${into}`.execute(trx)
}
