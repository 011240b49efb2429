import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { createTemporaryTable } from '../../db/temporary-table.ts'
import { restoreFavorites } from './merged-favorites.ts'
import { restoreProgress } from './merged-progress.ts'
import { countedIn, moveRatingsAndVotes, ratingIn, type WorkMerge } from './move-user-data.ts'

/**
 * Moves user data back to a work when its merge is undone. A rating that has changed since stays with the other work,
 * and its old version is restored as well. Deleted ratings stay deleted.
 *
 * @param trx has called `lockUserData` and restored the work
 */
export async function restoreUserData(trx: Database, merge: WorkMerge): Promise<void> {
  await restoreRatings(trx, merge)
  await restoreProgress(trx, merge)
  await restoreFavorites(trx, merge)
  await restoreItems(trx, merge)
  for (const table of [
    'merged_votes',
    'merged_ratings',
    'merged_progress',
    'merged_favorites',
    'merged_items',
  ])
    await sql`delete from ${sql.table(table)} where merge_id = ${merge.id}`.execute(trx)
}

async function restoreRatings(trx: Database, { id, kind, from, into }: WorkMerge): Promise<void> {
  await createTemporaryTable(trx, 'returning_ratings')`
    select
      kept.account_id, kept.from_rating, kept.into_rating, kept.note,
      (current.id, current.updated_at) = (rating.id, rating.updated_at) as is_untouched,
      rating.id = (kept.from_rating ->> 'id')::bigint as is_from,
      current.id as current_id, current.id = (kept.from_rating ->> 'id')::bigint as id_is_taken,
      account.banned_at is not null or account.deletion_requested_at is not null as is_banned,
      ${countedIn('current')} as counted
    from merged_ratings kept
    cross join ${ratingIn('kept.left_rating')} rating
    join ratings current on current.account_id = kept.account_id and current.work_id = ${into}
    join accounts account on account.id = kept.account_id
    where kept.merge_id = ${id} and kept.left_rating is not null`
  await sql`
    update rating_changes change set work_id = ${from}
    from merged_ratings kept
    where kept.merge_id = ${id} and change.account_id = kept.account_id and change.id = any(kept.history)`.execute(
    trx,
  )
  await sql`
    delete from rating_changes change
    using returning_ratings kept
    where kept.is_untouched and change.account_id = kept.account_id and change.id = kept.note`.execute(
    trx,
  )
  await moveRatingsAndVotes(
    trx,
    sql`select account_id from returning_ratings where is_untouched and is_from`,
    into,
    from,
  )
  await insertRatings(trx, id)`
    select
      kept.account_id, ${into}::bigint as work_id, kept.is_banned, kept.into_rating as rating,
      (kept.into_rating ->> 'id')::bigint as id, null::bigint as changed_id
    from returning_ratings kept
    where kept.is_untouched and kept.is_from and kept.into_rating is not null`
  await insertRatings(trx, id)`
    select
      kept.account_id, ${from}::bigint as work_id, kept.is_banned, kept.from_rating as rating,
      case when kept.id_is_taken then nextval(pg_get_serial_sequence('ratings', 'id'))
        else (kept.from_rating ->> 'id')::bigint
      end as id,
      -- An old version stays hidden if the review has been changed and hidden since.
      case when not kept.is_untouched then kept.current_id end as changed_id
    from returning_ratings kept
    where not (kept.is_untouched and kept.is_from)`
  await sql`
    insert into rating_deltas (account_id, work_id, kind, was, becomes)
    select sides.account_id, sides.work_id, ${kind}, sides.was, sides.becomes
    from (
      select kept.account_id, ${from}::bigint as work_id, '{}'::jsonb as was, ${countedIn('rating')} as becomes
      from returning_ratings kept
      join ratings rating on rating.account_id = kept.account_id and rating.work_id = ${from}
      union all
      select kept.account_id, ${into}::bigint, kept.counted, coalesce(${countedIn('rating')}, '{}')
      from returning_ratings kept
      left join ratings rating on rating.account_id = kept.account_id and rating.work_id = ${into}
      where kept.is_untouched and kept.is_from
    ) sides
    where sides.was <> sides.becomes
    order by sides.account_id, sides.work_id`.execute(trx)
}

const insertRatings =
  (trx: Database, mergeId: number) =>
  async (...rows: Parameters<typeof sql>): Promise<void> => {
    await createTemporaryTable(trx, 'restored_ratings')`${sql(...rows)}`
    await sql`
    insert into ratings overriding system value
    select (
      jsonb_populate_record(
        null::ratings,
        restored.rating || jsonb_build_object('id', restored.id, 'work_id', restored.work_id, 'hidden', restored.is_banned or exists (
          select from takedowns takedown
          where takedown.kind = 'REVIEW'
            and takedown.subject in (restored.rating ->> 'id', restored.changed_id::text)
            and takedown.restored_at is null
        ))
      )
    ).*
    from restored_ratings restored
    order by restored.account_id`.execute(trx)
    await sql`
    insert into review_votes (account_id, work_id, rating_id, voter_id, liked, hidden, created_at, updated_at)
    select
      vote.account_id, restored.work_id, restored.id, vote.voter_id, vote.liked, voter.banned_at is not null or voter.deletion_requested_at is not null,
      vote.created_at, vote.updated_at
    from restored_ratings restored
    join merged_votes vote
      on vote.merge_id = ${mergeId} and vote.account_id = restored.account_id and vote.rating_id = restored.id
    join accounts voter on voter.id = vote.voter_id
    order by vote.account_id, vote.voter_id`.execute(trx)
    await sql`
    delete from vote_deltas delta
    using restored_ratings restored
    where delta.account_id = restored.account_id and delta.rating_id = restored.id`.execute(trx)
    await sql`
    update ratings rating
    set like_count = counted.likes, dislike_count = counted.dislikes
    from restored_ratings restored
    cross join lateral (
      select count(*) filter (where vote.liked) as likes, count(*) filter (where not vote.liked) as dislikes
      from review_votes vote
      where vote.account_id = restored.account_id and vote.work_id = restored.work_id and not vote.hidden
    ) counted
    where rating.account_id = restored.account_id and rating.work_id = restored.work_id`.execute(
      trx,
    )
  }

async function restoreItems(trx: Database, { id, from, into }: WorkMerge): Promise<void> {
  await createTemporaryTable(trx, 'returning_items')`
    select
      kept.account_id, kept.collection_id, kept.from_item, kept.into_item,
      current.note = kept.left_item ->> 'note' as is_untouched
    from merged_items kept
    join collection_items current
      on current.account_id = kept.account_id and current.collection_id = kept.collection_id and current.work_id = ${into}
    where kept.merge_id = ${id}`
  await sql`
    update collection_items item set note = kept.into_item ->> 'note'
    from returning_items kept
    where kept.is_untouched
      and item.account_id = kept.account_id
      and item.collection_id = kept.collection_id
      and item.work_id = ${into}
      and item.note <> kept.into_item ->> 'note'`.execute(trx)
  await sql`
    update collection_items item set work_id = ${from}
    from returning_items kept
    where kept.is_untouched
      and kept.into_item is null
      and item.account_id = kept.account_id
      and item.collection_id = kept.collection_id
      and item.work_id = ${into}`.execute(trx)
  // The second item does not fit into a collection that has reached its maximum size.
  await sql`
    with counted as (
      update collections collection set item_count = collection.item_count + 1
      from returning_items kept
      where not (kept.is_untouched and kept.into_item is null)
        and collection.account_id = kept.account_id
        and collection.id = kept.collection_id
        and collection.item_count < 10000
      returning collection.account_id, collection.id
    )
    insert into collection_items
    -- Items of earlier merges have no id.
    select (jsonb_populate_record(null::collection_items, jsonb_build_object('id', random_id()) || kept.from_item)).*
    from returning_items kept
    join counted on counted.account_id = kept.account_id and counted.id = kept.collection_id
    order by kept.account_id, kept.collection_id`.execute(trx)
}
