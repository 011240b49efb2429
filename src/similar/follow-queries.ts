import type { Database } from '../db/database.ts'
import { isAbove } from '../db/upkeep/due-tasks.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import { IS_LIKED } from './common-likes.ts'

/** Maximum number of catalog changes and of changed likes per transaction. */
const MAX_CHANGES = 200
const MAX_LIKES = 1_000
/** Maximum number of tags per work, most votes first. */
const MAX_TAGS = 20
/**
 * Age after which works are recomputed. Slow changes, such as in the rarity of a tag, do not trigger a recomputation.
 */
const MAX_AGE = `interval '7 days'`
const MAX_REFRESHED = 100

const LAST_FOLLOWED = 'select change_id from similar_position'

/** Conditions under which steps are due, most urgent step first. */
export const DUE = {
  changes: isAbove('select max(id) from catalog_changes', LAST_FOLLOWED),
  // Pending catalog changes come first, because works are compared with the current state of other works.
  works: `${isAbove('now()', 'select min(since) from similar_due')} and not exists (select from catalog_changes_due)`,
  old: isAbove(`now() - ${MAX_AGE}`, 'select min(computed_at) from similar_works'),
}

const TAKE_LIKES = statement('similar.take_likes').returning<{
  taken: number
  likes: string
  losers: number[] | null
}>(`
  with taken as (
    delete from like_notes where id in (select id from like_notes order by id limit ${MAX_LIKES})
    returning account_id, work_id, liked
  )
  select
    count(*) as taken,
    coalesce(json_agg(row_to_json(taken)), '[]')::text as likes,
    array_agg(distinct account_id) filter (where not liked) as losers
  from taken`)

/** Lists the works that the users `$1` like. */
const LIST_LIKED = statement('similar.list_liked').returning<{ work_id: number }>(`
  select distinct rating.work_id from ratings rating where rating.account_id = any($1::bigint[]) and ${IS_LIKED}`)

/**
 * A work is recomputed when its number of likes has changed by a tenth. A lost like is applied immediately, to the work
 * and to everything else that the user likes, so that results stop depending on a rating that is no longer public.
 */
const FOLLOW_LIKES = statement('similar.follow_likes').sql(`
  with changes as materialized (
    select work_id, sum(case when liked then 1 else -1 end) as likes, bool_or(not liked) as lost
    from jsonb_to_recordset($1::jsonb) taken (work_id bigint, liked boolean)
    group by work_id
  ),
  counted as (
    insert into work_likes as counted (work_id, likes)
    select changes.work_id, greatest(changes.likes, 0)
    from changes join works work on work.id = changes.work_id
    order by changes.work_id
    on conflict (work_id) do update
      set likes = greatest(
        0, counted.likes + (select changes.likes from changes where changes.work_id = counted.work_id)
      )
    returning work_id, likes
  ),
  touched as (
    select counted.work_id
    from counted
    join changes using (work_id)
    left join similar_works computed using (work_id)
    where changes.lost or abs(counted.likes - coalesce(computed.likes, 0)) * 10 >= coalesce(computed.likes, 0)
    union
    select unnest($2::bigint[])
  )
  insert into similar_due (work_id, since, spreads)
  select work_id, now(), true from touched order by work_id
  on conflict (work_id) do update set since = excluded.since, spreads = true`)

/** Applies one batch of changed likes, oldest first. @returns the number applied */
export async function followLikes(trx: Database): Promise<number> {
  const notes = await queryRow(trx, TAKE_LIKES, [])
  if (!notes || notes.taken === 0) return 0
  const liked = notes.losers ? await queryRows(trx, LIST_LIKED, [notes.losers]) : []
  await queryRows(trx, FOLLOW_LIKES, [notes.likes, liked.map(({ work_id }) => work_id)])
  return notes.taken
}

type Change = { id: number; is_work: boolean; resource_id: number }

const NEXT_CHANGES = statement('similar.next_changes').returning<Change>(`
  select id, resource_type in ('galgame', 'light_novel', 'manga') as is_work, resource_id
  from catalog_changes
  where id > (${LAST_FOLLOWED})
  order by id
  limit ${MAX_CHANGES}`)

/**
 * Updates the profiles by which the works `$1` are compared, and the tag counts. A work whose profile has changed
 * becomes due. All data about a deleted or merged work is deleted.
 */
const PROFILE = statement('similar.profile').sql(`
  with requested as materialized (select distinct id from unnest($1::bigint[]) requested (id)),
  fresh as materialized (
    select
      work.id as work_id,
      own.tags,
      md5(concat_ws(' ', work.kind, work.nsfw, own.tags::text, links.list)) as digest
    from requested
    join shown_works work on work.id = requested.id
    cross join lateral (
      select coalesce(array_agg(known.id order by known.id), '{}') as tags
      from (
        select tag ->> 'name' as name
        from jsonb_array_elements(work.tags) tag
        order by (tag ->> 'likes')::numeric desc nulls last, tag ->> 'name' collate "C"
        limit ${MAX_TAGS}
      ) most
      join tags known on known.name = most.name
    ) own
    cross join lateral (
      select string_agg(distinct concat(class, ref), ' ' order by concat(class, ref)) as list
      from work_links
      where work_links.work_id = work.id
    ) links
    where not exists (
      select from merged_entries merged where merged.kind = work.kind and merged.id = work.id
    )
  ),
  old as materialized (
    select profile.work_id, profile.tags, profile.digest
    from requested join work_profiles profile on profile.work_id = requested.id
  ),
  changed as materialized (
    select
      coalesce(fresh.work_id, old.work_id) as work_id,
      fresh.work_id is null as is_gone,
      old.work_id is null as is_new,
      coalesce(fresh.tags, '{}') as tags,
      coalesce(old.tags, '{}') as tags_before,
      fresh.digest
    from fresh
    full join old on old.work_id = fresh.work_id
    where fresh.digest is distinct from old.digest
  ),
  written as (
    insert into work_profiles (work_id, tags, digest)
    select work_id, tags, digest from changed where not is_gone order by work_id
    on conflict (work_id) do update set tags = excluded.tags, digest = excluded.digest
  ),
  gone as (delete from work_profiles using changed where is_gone and work_profiles.work_id = changed.work_id),
  gone_hits as (delete from similar_works using changed where is_gone and similar_works.work_id = changed.work_id),
  gone_likes as (delete from work_likes using changed where is_gone and work_likes.work_id = changed.work_id),
  gone_due as (delete from similar_due using changed where is_gone and similar_due.work_id = changed.work_id),
  counted as (
    insert into tag_counts as counted (tag_id, works)
    select tag_id, sum(amount)
    from (
      select tag_id, 1 as amount from changed cross join lateral unnest(tags) tag (tag_id)
      union all
      select tag_id, -1 from changed cross join lateral unnest(tags_before) tag (tag_id)
    ) amounts
    group by tag_id
    having sum(amount) <> 0
    order by tag_id
    on conflict (tag_id) do update set works = counted.works + excluded.works
  ),
  due as (
    insert into similar_due (work_id, since, spreads)
    select work_id, clock_timestamp(), true from changed where not is_gone order by work_id
    on conflict (work_id) do update set since = excluded.since, spreads = true
  )
  update similar_position
  set
    change_id = $2,
    works = works
      + (select count(*) from changed where is_new and not is_gone)
      - (select count(*) from changed where is_gone)`)

/**
 * Applies one batch of the change feed.
 *
 * @returns the number of changes
 */
export async function followCatalog(trx: Database): Promise<number> {
  const changes = await queryRows(trx, NEXT_CHANGES, [])
  const last = changes.at(-1)
  if (!last) return 0
  const works = changes.filter(({ is_work }) => is_work).map(({ resource_id }) => resource_id)
  await queryRows(trx, PROFILE, [works, last.id])
  return changes.length
}

const REFRESH_OLD = statement('similar.refresh_old').sql(`
  insert into similar_due (work_id, since, spreads)
  select work_id, now(), false
  from similar_works
  where computed_at < now() - ${MAX_AGE}
  order by computed_at
  limit ${MAX_REFRESHED}
  on conflict (work_id) do nothing`)

/**
 * Marks one batch of the oldest works as due.
 *
 * @returns 0, so that these works are computed next
 */
export async function refreshOld(trx: Database): Promise<number> {
  await queryRows(trx, REFRESH_OLD, [])
  return 0
}
