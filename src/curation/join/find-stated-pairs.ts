import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Source } from '../../sources/records/record.ts'
import { areNear, haveOtherAuthors, pairNames } from './contradictions.ts'
import { addPairs } from './pairs.ts'

/**
 * Adds pairs that are the same according to a source or an operator's decision. Pairs that are merely mentioned are
 * added for review.
 */
export async function findStatedPairs(trx: Database, source: Source): Promise<void> {
  await addPairs(trx, 'accepted')`
    select kind, source, external_id, other_source, other_external_id, true as certain, '{}'::jsonb as evidence
    from matches
    where state = 'accepted' and ${source} in (source, other_source)`
  await addPairs(trx, 'link')`
    select
      stated.kind, stated.source, stated.external_id, stated.other_source, stated.other_external_id, true as certain,
      jsonb_build_object('stated_by', stated.source) as evidence
    from source_same_as stated
    join source_records other
      on other.source = stated.other_source and other.kind = stated.kind and other.external_id = stated.other_external_id
    where stated.source <> stated.other_source and ${source} in (stated.source, stated.other_source)`
  await addPairs(trx, 'shared-id')`
    select
      one.kind, one.source, one.external_id, other.source as other_source, other.external_id as other_external_id,
      true as certain,
      jsonb_build_object('id', min(one.other_source || ':' || one.other_external_id)) as evidence
    from source_same_as one
    join source_same_as other
      on other.kind = one.kind
      and other.other_source = one.other_source
      and other.other_external_id = one.other_external_id
      and other.source <> one.source
    where one.source = ${source} and one.other_source <> 'isbn'
    group by one.kind, one.source, one.external_id, other.source, other.external_id`
  await addPairs(trx, 'mention')`
    with mentioned as (
      select
        record.kind, record.source, record.external_id, mention.label, other.source as other_source,
        other.external_id as other_external_id
      from source_records record
      cross join jsonb_to_recordset(record.links -> 'mentions') mention (source text, external_id text, label text)
      cross join lateral (
        select source, external_id from source_records named
        where named.source = mention.source and named.kind = record.kind and named.external_id = mention.external_id
        union
        select stated.source, stated.external_id from source_same_as stated
        where stated.kind = record.kind
          and stated.other_source = mention.source
          and stated.other_external_id = mention.external_id
      ) other
      where record.kind in ('galgame', 'light_novel') and record.links ? 'mentions' and other.source <> record.source
    )
    select
      kind, source, external_id, other_source, other_external_id, false as certain,
      jsonb_build_object('label', min(label)) as evidence
    from mentioned
    where ${source} in (source, other_source)
    group by kind, source, external_id, other_source, other_external_id`
}

/**
 * Adds pairs of novels whose volumes share an ISBN.
 *
 * Two novels are the same if neither shares an ISBN with a third work, and every shared ISBN belongs to the same
 * volume number. A book without volumes counts as one volume. Title or date must also agree, because wiki editors
 * sometimes enter the ISBN of a box set, another edition or a related volume.
 */
export async function findSharedIsbns(trx: Database, source: Source): Promise<void> {
  const { rows } = await sql`
    select from source_same_as one
    join source_same_as other
      on other.kind in ('light_novel', 'light_novel_volume')
      and other.other_source = 'isbn'
      and other.other_external_id = one.other_external_id
      and other.source <> one.source
    where one.source = ${source} and one.kind in ('light_novel', 'light_novel_volume') and one.other_source = 'isbn'
    limit 1`.execute(trx)
  if (rows.length === 0) return
  await addPairs(trx, 'isbn')`
    with places as (
      select work.source, work.external_id as work, item.value ->> 'ref' as volume, jsonb_array_length(work.links -> 'volumes') as volumes
      from source_records work
      cross join jsonb_array_elements(work.links -> 'volumes') item
      where work.kind = 'light_novel'
    ),
    books as (
      select
        places.source, places.work, places.volumes, stated.other_external_id as isbn,
        (volume.fields ->> 'volume_number')::numeric as number
      from places
      join source_same_as stated
        on stated.source = places.source
        and stated.kind = 'light_novel_volume'
        and stated.external_id = places.volume
        and stated.other_source = 'isbn'
      join source_records volume
        on volume.source = places.source and volume.kind = 'light_novel_volume' and volume.external_id = places.volume
      union all
      select source, external_id, 1, other_external_id, null
      from source_same_as
      where kind = 'light_novel' and other_source = 'isbn'
    ),
    found as (
      select
        one.source, one.work, other.source as other_source, other.work as other_work,
        count(distinct one.isbn) as shared,
        min(one.isbn) as isbn,
        bool_and(one.number = other.number or one.number is null or other.number is null) as agree,
        bool_or((one.number is null) <> (other.number is null)) as of_whole,
        max(one.volumes) as volumes,
        max(other.volumes) as other_volumes
      from books one
      join books other on other.isbn = one.isbn and other.source <> one.source
      where one.source = ${source}
      group by one.source, one.work, other.source, other.work
    )
    select
      'light_novel' as kind, found.source, found.work as external_id, found.other_source, found.other_work as other_external_id,
      found.agree
        and ${isConfirmed}
        and (not found.of_whole or found.volumes = found.other_volumes)
        and count(*) over (partition by found.work, found.other_source) = 1
        and count(*) over (partition by found.other_source, found.other_work) = 1 as certain,
      jsonb_build_object('isbn', found.isbn, 'volumes_in_common', found.shared, 'volumes_agree', found.agree) as evidence
    from found
    join source_records one
      on one.source = found.source and one.kind = 'light_novel' and one.external_id = found.work
    join source_records other
      on other.source = found.other_source and other.kind = 'light_novel' and other.external_id = found.other_work
    ${pairNames}`
}

/**
 * SQL condition: the title or the first date also agrees, and the authors do not contradict each other. A common
 * author is not enough, because spin-offs also have one.
 */
const isConfirmed = sql`(
  not (${haveOtherAuthors}) and (one_name.exact = other_name.exact or ${areNear})
) is true`
