import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { createTemporaryTable } from '../../db/temporary-table.ts'
import { mayVolumesChange } from './changed-works.ts'
import { COLUMNS, defaultsJson } from '../../sources/records/columns.ts'
import { RECORD_KINDS, type RecordKind } from '../../sources/records/record-kinds.ts'
import { fieldRank, sourceRank } from './source-ranks.ts'
import { wantedItems, updateIfChanged } from './wanted-items.ts'

/**
 * Derives the volumes of one kind of work. A volume exists while a list contains it. If the lists of several works
 * contain a volume, it belongs to the first of these works, ordered by source and id. Any import can change which work
 * that is, so all volumes are derived.
 */
export async function deriveVolumes(trx: Database, kind: 'light_novel' | 'manga') {
  const volumeKind = `${kind}_volume` as const
  if (!(await mayVolumesChange(trx, kind))) return
  const { table } = RECORD_KINDS[volumeKind]
  const names = Object.keys(COLUMNS[volumeKind])
  const all = [`${kind}_id`, 'position', ...names]
  await createTemporaryTable(trx, 'wanted')`
    with ${wantedItems('all', kind, 'volumes', volumeKind)}
    select distinct on (target_id) target_id, owner_id, source, ref, ordinality as position
    from items
    order by target_id, rank, external_id collate "C", ordinality`
  await addMissingVolumes(trx, kind, volumeKind)
  await mergeVolumes(trx, volumeKind)
  await sql`
    delete from ${sql.table(table)} volume
    where not exists (select from wanted where wanted.target_id = volume.id)`.execute(trx)
  await sql`
    insert into ${sql.table(table)} as volume (id, ${sql.join(all.map((name) => sql.ref(name)))})
    select wanted.target_id, wanted.owner_id, wanted.position, ${sql.join(names.map((name) => sql.ref(`value.${name}`)))}
    from wanted
    join source_records record
      on record.source = wanted.source and record.kind = ${volumeKind} and record.external_id = wanted.ref
    left join merged_volumes merged on merged.id = wanted.target_id
    cross join jsonb_populate_record(
      null::${sql.table(table)},
      ${defaultsJson(COLUMNS[volumeKind])}::jsonb || coalesce(merged.fields, record.fields)
    ) value
    order by wanted.target_id
    on conflict (id) do update set ${updateIfChanged('volume', all)}`.execute(trx)
}

/**
 * Adds volumes to `wanted` that only another source of the work has, matched by type and number. Volumes that may be
 * the same as a listed one, because they have no number or share an ISBN, are skipped.
 */
async function addMissingVolumes(trx: Database, kind: RecordKind, volumeKind: RecordKind) {
  const { rows } = await sql`
    select from source_records
    where kind = ${kind} and source <> 'local'
    group by entry_id
    having count(distinct source) > 1
    limit 1`.execute(trx)
  if (rows.length === 0) return
  await sql`
    insert into wanted (target_id, owner_id, source, ref, position)
    with shared as (
      select entry_id from source_records where kind = ${kind} group by entry_id having count(distinct source) > 1
    ),
    listed as materialized (
      select wanted.owner_id, wanted.source, wanted.ref, wanted.position, ${typeOf('volume')} as type, ${numberOf('volume')} as number
      from shared
      join wanted on wanted.owner_id = shared.entry_id
      join source_records volume
        on volume.source = wanted.source and volume.kind = ${volumeKind} and volume.external_id = wanted.ref
    ),
    owners as (
      select owner_id, max(position) as last
      from listed
      group by owner_id
      having bool_and(source <> 'local' and number is not null)
    ),
    offered as materialized (
      select
        owners.owner_id, owners.last, work.source, ${sourceRank('work.source')} as rank,
        volume.entry_id as target_id, volume.external_id as ref,
        ${typeOf('volume')} as type, ${numberOf('volume')} as number,
        count(*) over (partition by owners.owner_id, work.source, ${typeOf('volume')}, ${numberOf('volume')}) = 1 as is_alone
      from owners
      join source_records work on work.kind = ${kind} and work.entry_id = owners.owner_id
      cross join jsonb_array_elements(coalesce(work.links -> 'volumes', '[]')) item
      join source_records volume
        on volume.source = work.source and volume.kind = ${volumeKind} and volume.external_id = item.value ->> 'ref'
    ),
    missing as (
      select distinct on (owner_id, type, number) *
      from offered
      where is_alone
        and number is not null
        and not exists (select from wanted where wanted.target_id = offered.target_id)
        and not exists (
          select from listed
          where listed.owner_id = offered.owner_id
            and (
              (listed.type, listed.number) = (offered.type, offered.number)
              or exists (
                select from source_same_as one
                join source_same_as other
                  on (other.kind, other.other_source, other.other_external_id)
                    = (one.kind, one.other_source, one.other_external_id)
                where (one.source, one.kind, one.external_id) = (listed.source, ${volumeKind}, listed.ref)
                  and (other.source, other.external_id) = (offered.source, offered.ref)
              )
            )
        )
      order by owner_id, type, number, rank, ref collate "C"
    ),
    once as (
      select distinct on (target_id) * from missing order by target_id, rank, owner_id
    )
    select target_id, owner_id, source, ref, last + row_number() over (partition by owner_id order by number)
    from once`.execute(trx)
  await sql`analyze wanted`.execute(trx)
  await orderByNumber(trx, volumeKind)
}

/** Orders lists that contain volumes from two sources by number, if all of their volumes have a number. */
async function orderByNumber(trx: Database, volumeKind: RecordKind) {
  await sql`
    update wanted set position = placed.position
    from (
      select
        wanted.target_id,
        row_number() over (
          partition by wanted.owner_id order by ${typeOf('volume')} <> 'MAIN', ${numberOf('volume')}, wanted.position
        ) as position
      from (select owner_id from wanted group by owner_id having count(distinct source) > 1) mixed
      join wanted on wanted.owner_id = mixed.owner_id
      join source_records volume
        on volume.source = wanted.source and volume.kind = ${volumeKind} and volume.external_id = wanted.ref
    ) placed
    where placed.target_id = wanted.target_id and placed.position <> wanted.position`.execute(trx)
}

const typeOf = (volume: string) => sql.raw(`coalesce(${volume}.fields ->> 'volume_type', 'MAIN')`)
const numberOf = (volume: string) => sql.raw(`(${volume}.fields ->> 'volume_number')::numeric`)

/** Creates `merged_volumes`: the merged fields of volumes with several records. ISBNs are combined. */
async function mergeVolumes(trx: Database, volumeKind: RecordKind) {
  await createTemporaryTable(trx, 'merged_volumes')`
    with shared as (
      select entry_id from source_records where kind = ${volumeKind} group by entry_id having count(*) > 1
    ),
    statements as (
      select
        record.entry_id as id, record.external_id, field.key, field.value,
        ${sql.raw(fieldRank('field.key', 'record.source'))} as rank
      from shared
      join source_records record on record.kind = ${volumeKind} and record.entry_id = shared.entry_id
      cross join jsonb_each(record.fields) field
    ),
    isbns as (
      select id, jsonb_agg(isbn order by rank, ordinality) as value
      from (
        select distinct on (statements.id, listed.isbn) statements.id, listed.isbn, statements.rank, listed.ordinality
        from statements
        cross join jsonb_array_elements(statements.value) with ordinality listed (isbn, ordinality)
        where statements.key = 'isbns'
        order by statements.id, listed.isbn, statements.rank, listed.ordinality
      ) once
      group by id
    ),
    chosen as (
      select distinct on (id, key) id, key, value
      from statements
      order by id, key, rank, external_id collate "C"
    )
    select
      chosen.id,
      jsonb_object_agg(chosen.key, case when chosen.key = 'isbns' then isbns.value else chosen.value end) as fields
    from chosen
    left join isbns on isbns.id = chosen.id
    where not exists (select from chosen day where day.id = chosen.id and day.key || '_text' = chosen.key)
    group by chosen.id`
}
