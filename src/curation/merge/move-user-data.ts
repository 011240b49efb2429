import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { createTemporaryTable } from '../../db/temporary-table.ts'
import { moveFavorites } from './merged-favorites.ts'
import { moveProgress } from './merged-progress.ts'

export type WorkMerge = { id: number; kind: string; from: number; into: number }

/** SQL for how much a rating contains. A review outranks a score, and a score outranks a status. */
const weightOf = (record: string) =>
  sql.raw(`case
    when ${record}.rate_content <> '' then 3
    when coalesce(
      ${record}.rate, ${record}.rate_character, ${record}.rate_illustration, ${record}.rate_pacing, ${record}.rate_plot,
      ${record}.rate_worldview, ${record}.rate_writing, ${record}.rate_scenario, ${record}.rate_direction, ${record}.rate_music,
      ${record}.rate_visual, ${record}.rate_system
    ) is not null then 2
    else 1
  end`)

export const ratingIn = (column: string) =>
  sql`jsonb_populate_record(null::ratings, ${sql.ref(column)})`

/** SQL for the values by which a rating counts in totals. */
export const countedIn = (rating: string) =>
  sql.raw(`case when ${rating}.hidden then '{}' else rating_counted(${rating}) end`)

/** SQL for a rating's changed fields, as stored in its history. */
const differencesOf = (before: ReturnType<typeof sql>, after: ReturnType<typeof sql>) => sql`(
  select coalesce(jsonb_object_agg(field.key, jsonb_build_object('from', field.value, 'to', after_field.value)), '{}')
  from jsonb_each(rating_fields(${before})) field
  join jsonb_each(rating_fields(${after})) after_field using (key)
  where field.value is distinct from after_field.value
)`

/**
 * Moves user data from a work to the work it is merged into.
 *
 * If a user has rated both works, the better rating stays: the one with a review, or else with a score, or else the
 * newer one. The other rating is added to the history. Votes move with their reviews, and progress is combined.
 * Everything needed to undo the merge is stored.
 *
 * @param trx has called `lockUserData`
 */
export async function moveUserData(trx: Database, merge: WorkMerge): Promise<void> {
  await removeTotals(trx, merge)
  await moveRatings(trx, merge)
  await moveProgress(trx, merge)
  await moveFavorites(trx, merge)
  await moveItems(trx, merge)
}

/** Removes a work from the totals. Its ratings are counted again for the work they move to. */
async function removeTotals(trx: Database, { kind, from }: WorkMerge): Promise<void> {
  await sql`
    with taken as (
      delete from rating_deltas where work_id = ${from} returning id, account_id, was, becomes
    )
    insert into like_notes (account_id, work_id, liked)
    select account_id, ${from}, is_liked(becomes)
    from taken
    where is_liked(was) <> is_liked(becomes)
    order by id`.execute(trx)
  await sql`
    insert into like_notes (account_id, work_id, liked)
    select account_id, work_id, false
    from ratings rating
    where work_id = ${from} and not hidden and is_liked(rating_counted(rating))`.execute(trx)
  await sql`
    update kind_ratings total
    set total = total.total - gone.total, sum = total.sum - gone.sum
    from (
      select coalesce(sum(amount), 0) as total, coalesce(sum(amount * value::numeric), 0) as sum
      from rating_counts
      where work_id = ${from} and field = 'rate'
    ) gone
    where total.kind = ${kind} and gone.total > 0`.execute(trx)
}

async function moveRatings(trx: Database, { id, kind, from, into }: WorkMerge): Promise<void> {
  await sql`
    insert into merged_ratings (account_id, merge_id, from_rating, into_rating, history)
    select
      account_id, ${id},
      case when rating.work_id is not null then to_jsonb(rating) end,
      case when rating.work_id is not null and other.work_id is not null then to_jsonb(other) end,
      coalesce(history.ids, '{}')
    from (select * from ratings where work_id = ${from}) rating
    full join (
      select account_id, array_agg(id order by id) as ids from rating_changes where work_id = ${from} group by account_id
    ) history using (account_id)
    left join (select * from ratings where work_id = ${into}) other using (account_id)
    order by account_id`.execute(trx)
  await sql`
    update rating_changes change set work_id = ${into}
    from merged_ratings kept
    where kept.merge_id = ${id} and change.account_id = kept.account_id and change.id = any(kept.history)`.execute(
    trx,
  )
  await createTemporaryTable(trx, 'reader_pairs')`
    select
      kept.account_id,
      (${weightOf('rating')}, rating.updated_at) > (${weightOf('other')}, other.updated_at) as from_is_better,
      kept.from_rating,
      kept.into_rating
    from merged_ratings kept
    cross join ${ratingIn('kept.from_rating')} rating
    cross join ${ratingIn('kept.into_rating')} other
    where kept.merge_id = ${id} and kept.into_rating is not null`
  await sql`
    insert into merged_votes (account_id, merge_id, voter_id, rating_id, liked, created_at, updated_at)
    select vote.account_id, ${id}, vote.voter_id, vote.rating_id, vote.liked, vote.created_at, vote.updated_at
    from reader_pairs pair
    join review_votes vote
      on vote.account_id = pair.account_id
      and vote.work_id = case when pair.from_is_better then ${into} else ${from} end::bigint
    order by vote.account_id, vote.voter_id`.execute(trx)
  await sql`
    delete from ratings rating
    using reader_pairs pair
    where rating.account_id = pair.account_id
      and rating.work_id = case when pair.from_is_better then ${into} else ${from} end::bigint`.execute(
    trx,
  )
  await sql`
    with noted as (
      insert into rating_changes (account_id, work_id, kind, action, fields)
      select pair.account_id, ${into}, ${kind}, 'CHANGED', change.fields
      from reader_pairs pair
      cross join lateral (
        select
          case when pair.from_is_better then ${differencesOf(ratingIn('pair.into_rating'), ratingIn('pair.from_rating'))}
            else ${differencesOf(ratingIn('pair.from_rating'), ratingIn('pair.into_rating'))}
          end as fields
        offset 0
      ) change
      where change.fields <> '{}'
      order by pair.account_id
      returning account_id, id
    )
    update merged_ratings kept set note = noted.id
    from noted
    where kept.merge_id = ${id} and kept.account_id = noted.account_id`.execute(trx)
  await moveRatingsAndVotes(
    trx,
    sql`select account_id from merged_ratings where merge_id = ${id}`,
    from,
    into,
  )
  await sql`
    update merged_ratings kept set left_rating = to_jsonb(rating)
    from ratings rating
    where kept.merge_id = ${id}
      and kept.from_rating is not null
      and rating.account_id = kept.account_id
      and rating.work_id = ${into}`.execute(trx)
  await sql`
    insert into rating_deltas (account_id, work_id, kind, was, becomes)
    select kept.account_id, ${into}, ${kind}, counted.was, counted.becomes
    from merged_ratings kept
    cross join ${ratingIn('kept.left_rating')} rating
    cross join ${ratingIn('kept.into_rating')} other
    cross join lateral (
      select
        case when kept.into_rating is null then '{}' else ${countedIn('other')} end as was,
        ${countedIn('rating')} as becomes
      offset 0
    ) counted
    where kept.merge_id = ${id} and kept.left_rating is not null and counted.was <> counted.becomes
    order by kept.account_id`.execute(trx)
}

/** Moves ratings and their votes in one statement, because votes refer to a rating's account and work. */
export async function moveRatingsAndVotes(
  trx: Database,
  accounts: ReturnType<typeof sql>,
  from: number,
  into: number,
): Promise<void> {
  await sql`
    with theirs as materialized (
      select account_id from ratings where work_id = ${from} and account_id in (${accounts})
    ),
    votes as (
      update review_votes vote set work_id = ${into}
      from theirs
      where vote.account_id = theirs.account_id and vote.work_id = ${from}
    )
    update ratings rating set work_id = ${into}
    from theirs
    where rating.account_id = theirs.account_id and rating.work_id = ${from}`.execute(trx)
}

/**
 * Moves the items of collections. If a collection contains both works, one item remains, with its own note or else the
 * note of the other item.
 */
async function moveItems(trx: Database, { id, from, into }: WorkMerge): Promise<void> {
  await sql`
    insert into merged_items (account_id, merge_id, collection_id, from_item, into_item, left_item)
    select
      item.account_id, ${id}, item.collection_id, to_jsonb(item),
      case when other.work_id is not null then to_jsonb(other) end,
      case when other.work_id is null then to_jsonb(item)
        else jsonb_set(to_jsonb(other), '{note}', to_jsonb(coalesce(nullif(other.note, ''), item.note)))
      end
    from collection_items item
    left join collection_items other
      on other.account_id = item.account_id and other.collection_id = item.collection_id and other.work_id = ${into}
    where item.work_id = ${from}
    order by item.account_id, item.collection_id`.execute(trx)
  await sql`
    with doubled as (
      select account_id, collection_id, left_item ->> 'note' as note
      from merged_items
      where merge_id = ${id} and into_item is not null
    ),
    noted as (
      update collection_items item set note = doubled.note
      from doubled
      where item.account_id = doubled.account_id
        and item.collection_id = doubled.collection_id
        and item.work_id = ${into}
        and item.note <> doubled.note
    ),
    deleted as (
      delete from collection_items item
      using doubled
      where item.account_id = doubled.account_id
        and item.collection_id = doubled.collection_id
        and item.work_id = ${from}
      returning item.account_id, item.collection_id
    )
    update collections collection set item_count = collection.item_count - 1
    from deleted
    where collection.account_id = deleted.account_id and collection.id = deleted.collection_id`.execute(
    trx,
  )
  await sql`
    update collection_items set work_id = ${into} where work_id = ${from}`.execute(trx)
}
