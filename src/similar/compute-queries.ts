import type { Database } from '../db/database.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import { COMMON_LIKES, findCommonLikes } from './common-likes.ts'

/**
 * Maximum number of similar works per response. Up to this many are stored per kind, separately for nsfw and other
 * works.
 */
export const MAX_SIMILAR = 20

/** Minimum cosine similarity. A lower one may be due to chance. */
const MIN_COSINE = 0.05
/** Maximum number of works of a person or producer. Those with more are ignored. */
const MAX_WORKS_PER_LINK = 200
/** Maximum number of works reached through a work's tags. More common tags are ignored. */
const MAX_TAGGED = 1_000
const MAX_LINKS = 80

/** Maximum number of candidates per work that are compared exactly, best rough scores first. */
const MAX_COMPARED = 100
/** Minimum similarity of a result. */
const MIN_SIMILARITY = 0.08

/** SQL for the rarity of an attribute that `amount` works share, from 0 (all works) to 1 (one work). */
const rarity = (amount: string) =>
  `ln(greatest($2::float8, 2) / least(${amount}, greatest($2::float8, 2))) / ln(greatest($2::float8, 2))`

/** SQL for the similarity contributed by the common links of one class, computed from the sum of their rarities. */
const linked = (limit: number, growth: number) => `${limit} * (1 - exp(-${growth} * sum(rarity)))`

/**
 * Computes the similar works of the works `$1`, out of `$2` works in total. Works that the same users like come first,
 * by cosine similarity, reduced where few users like them. Then come works with tags, people, producers or characters
 * in common, where rare attributes weigh more, and related works such as sequels.
 *
 * @param common SQL for the works that the same users like
 */
const computation = (common: string) => `
  with requested as materialized (
    select due.work_id, due.since, due.spreads from similar_due due where due.work_id = any($1::bigint[])
  ),
  by_readers as (
    select
      found.work_id,
      found.hit,
      'READERS' as reason,
      least(1, found.common::float8 / found.readers * sqrt(found.likes::float8 / greatest(theirs.likes, 1)))
        * found.common / (found.common + 3) as value
    from (${common}) found
    join work_likes theirs on theirs.work_id = found.hit
  ),
  by_links as (
    select
      link.work_id,
      other.hit,
      case link.class when 'person' then 'STAFF' when 'producer' then 'PRODUCER' else 'SERIES' end as reason,
      case link.class
        when 'person' then ${linked(0.8, 0.6)}
        when 'producer' then ${linked(0.4, 0.8)}
        else ${linked(0.9, 0.7)}
      end as value
    from (
      select requested.work_id, own.class, own.ref
      from requested
      cross join lateral (
        select distinct class, ref
        from work_links
        where work_links.work_id = requested.work_id and class <> 'relation'
        limit ${MAX_LINKS}
      ) own
    ) link
    cross join lateral (
      select array_agg(distinct found.work_id) as works
      from (
        select work_id from work_links where class = link.class and ref = link.ref limit ${MAX_WORKS_PER_LINK + 1}
      ) found
    ) holders
    cross join lateral (select ${rarity('cardinality(holders.works)')} as rarity) rated
    cross join lateral unnest(holders.works) other (hit)
    where cardinality(holders.works) between 2 and ${MAX_WORKS_PER_LINK}
    group by link.work_id, other.hit, link.class
  ),
  by_relations as (
    select requested.work_id, related.hit, 'SERIES' as reason, 0.95::float8 as value
    from requested
    cross join lateral (
      select related_galgame_id from galgame_relations where galgame_id = requested.work_id
      union
      select galgame_id from galgame_relations where related_galgame_id = requested.work_id
    ) related (hit)
  ),
  own_tags as materialized (
    select
      requested.work_id,
      array_agg(tag.tag_id order by tag.works, tag.tag_id) as tags,
      array_agg(${rarity('tag.works')} order by tag.works, tag.tag_id) as rarities,
      greatest(sum(${rarity('tag.works')}), 3) as weight
    from requested
    join work_profiles profile on profile.work_id = requested.work_id
    cross join lateral unnest(profile.tags) own (tag_id)
    join tag_counts tag on tag.tag_id = own.tag_id
    group by requested.work_id
  ),
  by_tags as (
    select own.work_id, other.work_id as hit, 'TAGS' as reason, 0.8 * sum(tag.rarity) / own.weight as value
    from own_tags own
    cross join lateral (
      select found.tag_id, found.rarity, sum(counted.works) over (order by counted.works, found.tag_id) as reach
      from unnest(own.tags, own.rarities) found (tag_id, rarity)
      join tag_counts counted on counted.tag_id = found.tag_id
    ) tag
    cross join lateral (
      select profile.work_id from work_profiles profile where profile.tags @> array[tag.tag_id]
    ) other
    where tag.reach <= ${MAX_TAGGED} and other.work_id <> own.work_id
    group by own.work_id, own.weight, other.work_id
  ),
  found as (
    select
      work_id,
      hit,
      coalesce(max(value) filter (where reason = 'READERS'), 0) as readers,
      coalesce(max(value) filter (where reason = 'SERIES'), 0) as series,
      coalesce(max(value) filter (where reason = 'STAFF'), 0) as staff,
      coalesce(max(value) filter (where reason = 'PRODUCER'), 0) as producer,
      coalesce(max(value) filter (where reason = 'TAGS'), 0) as tags
    from (
      select * from by_readers where value >= ${MIN_COSINE}
      union all select * from by_links
      union all select * from by_relations
      union all select * from by_tags
    ) part
    where hit <> work_id
    group by work_id, hit
  ),
  rough as (
    select *, row_number() over (
      partition by work_id
      order by readers desc, 1 - (1 - series) * (1 - staff) * (1 - producer) * (1 - tags) desc, hit
    ) as place
    from found
  ),
  compared as (
    select
      rough.work_id, rough.hit, rough.readers, rough.series, rough.staff, rough.producer,
      greatest(rough.tags, coalesce(shared.value, 0)) as tags
    from rough
    left join own_tags own on own.work_id = rough.work_id
    left join work_profiles profile on profile.work_id = rough.hit
    left join lateral (
      select 0.8 * sum(tag.rarity) / own.weight as value
      from unnest(own.tags, own.rarities) tag (tag_id, rarity)
      where tag.tag_id = any(profile.tags)
    ) shared on true
    where rough.place <= ${MAX_COMPARED}
  ),
  scored as (
    select
      compared.work_id,
      compared.hit,
      work.kind,
      work.nsfw,
      compared.readers,
      1 - (1 - series) * (1 - staff) * (1 - producer) * (1 - compared.tags) as likeness,
      case
        when compared.readers > 0 then 'READERS'
        when series >= greatest(staff, producer, compared.tags) then 'SERIES'
        when staff >= greatest(producer, compared.tags) then 'STAFF'
        when compared.tags >= producer then 'TAGS'
        else 'PRODUCER'
      end as reason
    from compared
    join shown_works work on work.id = compared.hit
    where not exists (
      select from merged_entries merged where merged.kind = work.kind and merged.id = work.id
    )
  ),
  hits as materialized (
    select *
    from (
      select *, row_number() over (partition by work_id, kind, nsfw order by readers desc, likeness desc, hit) as place
      from scored
      where readers > 0 or likeness >= ${MIN_SIMILARITY}
    ) ranked
    where place <= ${MAX_SIMILAR}
  ),
  -- Reads similar_works as it was before this statement.
  spread as (
    insert into similar_due (work_id, since, spreads)
    select hits.hit, max(requested.since), false
    from hits
    join requested on requested.work_id = hits.work_id and requested.spreads
    join similar_works theirs on theirs.work_id = hits.hit and theirs.computed_at < requested.since
    left join similar_works own on own.work_id = hits.work_id
    where hits.hit <> all(coalesce(own.similar_ids, '{}')) and hits.hit <> all($1)
    group by hits.hit
    on conflict (work_id) do nothing
  ),
  saved as (
    insert into similar_works as saved (work_id, similar_ids, reasons, likes, computed_at)
    select
      work.id,
      coalesce(array_agg(hits.hit order by readers desc, likeness desc, hit) filter (where hits.hit is not null), '{}'),
      coalesce(array_agg(hits.reason order by readers desc, likeness desc, hit) filter (where hits.hit is not null), '{}'),
      coalesce(max(own.likes), 0),
      clock_timestamp()
    from requested
    join shown_works work on work.id = requested.work_id
    left join hits on hits.work_id = work.id
    left join work_likes own on own.work_id = work.id
    group by work.id
    order by work.id
    on conflict (work_id) do update
      set
        similar_ids = excluded.similar_ids,
        reasons = excluded.reasons,
        likes = excluded.likes,
        computed_at = excluded.computed_at
  )
  delete from similar_due due using requested where due.work_id = requested.work_id`

const COMPUTE = statement('similar.compute').sql(computation(COMMON_LIKES))

/** Computes the same as `COMPUTE` from `$3` to `$6`, the columns that `findCommonLikes` returns. */
const COMPUTE_FROM_COMMON = statement('similar.compute_from_common').sql(
  computation(
    `
      select common.*, own.likes
      from unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) common (work_id, readers, hit, common)
      join work_likes own on own.work_id = common.work_id`,
  ),
)

const NEXT = statement('similar.next').returning<{ work_id: number }>(`
  select work_id from similar_due where since <= clock_timestamp() order by since, work_id limit $1`)

const COUNT_WORKS = statement('similar.count_works').returning<{ works: number }>(
  'select works from similar_position',
)

const POSTPONE = statement('similar.postpone').sql(
  `update similar_due set since = now() + interval '1 hour' where work_id in (${NEXT.text})`,
)

/**
 * Recomputes the works that have been due longest.
 *
 * @param trx transaction that holds the lock
 * @param isDistributed whether user data is on other machines than the catalog
 * @returns the number of works, at most `limit`
 */
export async function computeDue(
  trx: Database,
  limit: number,
  isDistributed: boolean,
): Promise<number> {
  const due = await queryRows(trx, NEXT, [limit])
  if (due.length === 0) return 0
  const position = await queryRow(trx, COUNT_WORKS, [])
  const works = due.map(({ work_id }) => work_id)
  const parameters = [works, position?.works ?? 0] as const
  if (!isDistributed) await queryRows(trx, COMPUTE, parameters)
  else
    await queryRows(trx, COMPUTE_FROM_COMMON, [
      ...parameters,
      ...(await findCommonLikes(trx, works)),
    ])
  return due.length
}

/** Postpones the next due work by an hour after it failed, so that it does not block other works. */
export const postponeNext = (db: Database) => queryRows(db, POSTPONE, [1])
