import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { mayVolumesChange } from './changed-works.ts'
import { COLUMNS, defaultsOf } from './columns.ts'
import { RECORD_KINDS, type RecordKind } from './record-kinds.ts'
import { fieldRank } from './survivorship.ts'
import { wantedItems, replace, want } from './wanted-items.ts'

/**
 * Volumes are rows of their own: they come and go with the list that names them. One that several works name belongs to
 * the first of them by source and id; as any import can change which that is, all of them are looked at.
 */
export async function deriveVolumes(trx: Database, kind: 'light_novel' | 'manga', volumeKind: RecordKind) {
  if (!(await mayVolumesChange(trx, kind))) return
  const { table } = RECORD_KINDS[volumeKind]
  const names = Object.keys(COLUMNS[volumeKind])
  const all = [`${kind}_id`, 'position', ...names]
  await want(
    trx,
    sql`
    with ${wantedItems('all', kind, 'volumes', volumeKind)}
    select distinct on (target_id) target_id, owner_id, source, ref, ordinality as position
    from items
    order by target_id, rank, external_id collate "C", ordinality`,
  )
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
      ${defaultsOf(COLUMNS[volumeKind])}::jsonb || coalesce(merged.fields, record.fields)
    ) value
    order by wanted.target_id
    on conflict (id) do update set ${replace('volume', all)}`.execute(trx)
}

/** Makes `merged_volumes`: of volumes that several records are of, what they say together, field by field; ISBNs are united. */
async function mergeVolumes(trx: Database, volumeKind: RecordKind) {
  await sql`drop table if exists merged_volumes`.execute(trx)
  await sql`
    create temporary table merged_volumes on commit drop as
    with shared as (
      select entry_id from source_records where kind = ${volumeKind} group by entry_id having count(*) > 1
    ),
    said as (
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
        select distinct on (said.id, listed.isbn) said.id, listed.isbn, said.rank, listed.ordinality
        from said
        cross join jsonb_array_elements(said.value) with ordinality listed (isbn, ordinality)
        where said.key = 'isbns'
        order by said.id, listed.isbn, said.rank, listed.ordinality
      ) once
      group by id
    ),
    chosen as (
      select distinct on (id, key) id, key, value
      from said
      order by id, key, rank, external_id collate "C"
    )
    select
      chosen.id,
      jsonb_object_agg(chosen.key, case when chosen.key = 'isbns' then isbns.value else chosen.value end) as fields
    from chosen
    left join isbns on isbns.id = chosen.id
    where not exists (select from chosen day where day.id = chosen.id and day.key || '_text' = chosen.key)
    group by chosen.id`.execute(trx)
  await sql`analyze merged_volumes`.execute(trx)
}
