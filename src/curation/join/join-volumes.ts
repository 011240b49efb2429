import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { createTemporaryTable } from '../../db/temporary-table.ts'
import { sourceRank } from '../derive/source-ranks.ts'

/**
 * Joins volumes of a novel from two sources by a common ISBN, or else by type and number. A novel lists the volumes of
 * its best source, completed by other sources. When novels are separated, their volumes are separated as well, under
 * their former ids. Adds changes to `changed_entries`, which must exist.
 */
export async function joinVolumes(trx: Database): Promise<void> {
  const { rows } = await sql`
    select from joined_volumes
    union all
    (
      select from source_records
      where kind = 'light_novel'
      group by entry_id
      having count(distinct source) > 1
      limit 1
    )
    limit 1`.execute(trx)
  if (rows.length === 0) return
  await findPlaces(trx)
  await findSameVolumes(trx)
  await assignIds(trx)
}

/**
 * Creates `volume_places`: the volumes of novels with several sources, and the rank of each volume's source. `own_id`
 * is the id of a volume before it was joined.
 */
async function findPlaces(trx: Database) {
  await createTemporaryTable(trx, 'volume_places')`
    with joined_works as (
      select entry_id from source_records where kind = 'light_novel' group by entry_id having count(distinct source) > 1
    )
    select distinct on (volume.source, volume.external_id)
      work.entry_id as work_id,
      ${sourceRank('work.source')} as rank,
      volume.source, volume.external_id, volume.entry_id,
      coalesce(apart.own_id, volume.entry_id) as own_id,
      coalesce(volume.fields ->> 'volume_type', 'MAIN') as type,
      (volume.fields ->> 'volume_number')::numeric as number
    from joined_works
    join source_records work on work.kind = 'light_novel' and work.entry_id = joined_works.entry_id
    cross join jsonb_array_elements(coalesce(work.links -> 'volumes', '[]')) item
    join source_records volume
      on volume.source = work.source and volume.kind = 'light_novel_volume' and volume.external_id = item.value ->> 'ref'
    left join joined_volumes apart on apart.source = volume.source and apart.external_id = volume.external_id
    order by volume.source, volume.external_id, work.entry_id`
}

/** SQL condition: neither volume of a pair has another candidate. */
const alone = sql`
  count(*) over (partition by one_source, one_id, other_source) = 1
  and count(*) over (partition by other_source, other_id) = 1`

/** Creates `same_volumes`: pairs of a volume from a novel's best source and a volume from another source. */
async function findSameVolumes(trx: Database) {
  const pairs = sql`
    select
      one.source as one_source, one.external_id as one_id, other.source as other_source, other.external_id as other_id
    from volume_places one
    join volume_places other on other.work_id = one.work_id and other.rank > one.rank
    where one.rank = (select min(best.rank) from volume_places best where best.work_id = one.work_id)`
  await sql`create index on volume_places (work_id, rank)`.execute(trx)
  await createTemporaryTable(trx, 'same_volumes')`
    with by_isbn as (
      select pair.*, ${alone} as is_clear
      from (
        select distinct pairs.*
        from (${pairs}) pairs
        join source_same_as one
          on one.source = pairs.one_source and one.kind = 'light_novel_volume' and one.external_id = pairs.one_id
        join source_same_as other
          on other.source = pairs.other_source and other.kind = 'light_novel_volume' and other.external_id = pairs.other_id
        where one.other_source = 'isbn' and other.other_source = 'isbn' and one.other_external_id = other.other_external_id
      ) pair
    ),
    by_number as (
      select pairs.*, ${alone} as is_clear
      from (
        ${pairs} and other.type = one.type and other.number = one.number
      ) pairs
    )
    select one_source, one_id, other_source, other_id from by_isbn where is_clear
    union all
    select one_source, one_id, other_source, other_id
    from by_number
    where is_clear
      and not exists (
        select from by_isbn known
        where known.other_source = by_number.other_source
          and (
            known.other_id = by_number.other_id
            or (known.one_source = by_number.one_source and known.one_id = by_number.one_id)
          )
      )`
}

/** Assigns each joined volume the id that the catalog shows, or else the oldest id. */
async function assignIds(trx: Database) {
  await createTemporaryTable(trx, 'volume_ids')`
    with members as (
      select one_source, one_id, one_source as source, one_id as external_id from same_volumes
      union
      select one_source, one_id, other_source, other_id from same_volumes
    ),
    ids as (
      select distinct on (member.one_source, member.one_id) member.one_source, member.one_id, candidate.id
      from members member
      join volume_places place using (source, external_id)
      cross join unnest(array[place.entry_id, place.own_id]) candidate (id)
      order by
        member.one_source, member.one_id,
        exists (select from light_novel_volumes shown where shown.id = candidate.id) desc, candidate.id
    ),
    joined as (
      select member.source, member.external_id, ids.id from members member join ids using (one_source, one_id)
    )
    select
      volume.source, volume.external_id, volume.entry_id,
      coalesce(apart.own_id, volume.entry_id) as own_id,
      coalesce(joined.id, apart.own_id, volume.entry_id) as id
    from source_records volume
    left join joined_volumes apart using (source, external_id)
    left join joined using (source, external_id)
    where volume.kind = 'light_novel_volume' and (apart.own_id is not null or joined.id is not null)`
  await sql`
    insert into joined_volumes as known (source, external_id, own_id)
    select source, external_id, own_id from volume_ids where id <> own_id
    on conflict (source, external_id) do nothing`.execute(trx)
  await sql`
    delete from joined_volumes known
    using volume_ids volume
    where known.source = volume.source and known.external_id = volume.external_id and volume.id = volume.own_id`.execute(
    trx,
  )
  await sql`
    insert into changed_entries (kind, entry_id)
    select 'light_novel_volume', unnest(array[entry_id, id]) from volume_ids where id <> entry_id
    on conflict do nothing`.execute(trx)
  await sql`
    update source_records record set entry_id = volume.id
    from volume_ids volume
    where record.kind = 'light_novel_volume'
      and record.source = volume.source
      and record.external_id = volume.external_id
      and volume.id <> volume.entry_id`.execute(trx)
}
