import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../db/database.ts'
import { COLUMNS, defaultsOf } from './columns.ts'
import { LINK_DEFAULTS, LINK_TABLES, type LinkTable } from './link-tables.ts'
import { RECORD_KINDS, type RecordKind } from './record-kinds.ts'
import { SOURCE_RANK, type Source } from './record.ts'

const rank = sql.raw(`array[${SOURCE_RANK.map((source) => `'${source}'`).join(', ')}]`)

/**
 * Writes the lists of every work the source has a record of, or of all: each from the best source that has one. A target that is
 * not loaded is passed over, and found by a later import. Rows that are right already are not touched.
 */
export async function deriveLinks(trx: Database, source: Source | 'all') {
  // Without it the joins below are planned for the table as it was before this import.
  await sql`analyze source_records`.execute(trx)
  await deriveVolumes(trx, 'light_novel', 'light_novel_volume')
  await deriveVolumes(trx, 'manga', 'manga_volume')
  for (const link of LINK_TABLES) await deriveList(trx, source, link)
  await deriveActors(trx, source)
}

/** Works that may have changed lists: those of the source, or all. */
const worksOf = (source: Source | 'all', kind: RecordKind) => sql`
  select distinct entry_id from source_records
  where kind = ${kind} ${source === 'all' ? sql`` : sql`and source = ${source}`}`

/**
 * For each of the works the list of the best source that has one, item by item with the entry it refers to; `rank` orders
 * lists that want the same thing.
 */
const itemsOf = (source: Source | 'all', kind: RecordKind, list: string, targetKind: RecordKind) => sql`
  chosen as (
    select distinct on (record.entry_id)
      record.entry_id as owner_id,
      record.source,
      array_position(${rank}::text[], record.source) as rank,
      record.external_id,
      record.links -> ${list} as items
    from source_records record
    where record.kind = ${kind}
      and record.entry_id in (${worksOf(source, kind)})
      and jsonb_array_length(coalesce(record.links -> ${list}, '[]')) > 0
    order by record.entry_id, array_position(${rank}::text[], record.source), record.external_id
  ),
  -- materialized: else all targets may be read once a work, which at full size takes hours
  references_made as materialized (
    select chosen.owner_id, chosen.source, chosen.rank, chosen.external_id, item.value, item.ordinality
    from chosen cross join jsonb_array_elements(chosen.items) with ordinality item
  ),
  items as (
    select made.*, target.entry_id as target_id, target.external_id as ref
    from references_made made
    join source_records target
      on target.source = made.source and target.kind = ${targetKind} and target.external_id = made.value ->> 'ref'
  )`

/** Makes `wanted`, a table of this transaction. One whose size is known: joins with a guess take hours at full size. */
async function want(trx: Database, query: RawBuilder<unknown>) {
  await sql`drop table if exists wanted`.execute(trx)
  await sql`create temporary table wanted on commit drop as ${query}`.execute(trx)
  await sql`analyze wanted`.execute(trx)
}

async function deriveList(trx: Database, source: Source | 'all', link: LinkTable) {
  const { kind, list, table, owner, target, targetKind, columns, distinctBy } = link
  const valueOf = (column: string) => {
    const fallback = LINK_DEFAULTS[`${table}.${column}`]
    return fallback === undefined
      ? sql`value ->> ${sql.lit(column)}`
      : sql`coalesce(value ->> ${sql.lit(column)}, ${sql.lit(fallback)})`
  }
  const distinct = sql.join([
    sql`owner_id`,
    sql`target_id`,
    ...distinctBy.map((column) => sql`value ->> ${sql.lit(column)}`),
  ])
  const names = columns.map((column) => sql.ref(column))
  await want(
    trx,
    sql`
    with ${itemsOf(source, kind, list, targetKind)},
    once as (
      select distinct on (${distinct}) owner_id, target_id, ordinality, value
      from items
      order by ${distinct}, ordinality
    )
    select
      owner_id,
      (row_number() over (partition by owner_id order by ordinality))::integer as position,
      target_id,
      ${sql.join(columns.map((column) => sql`${valueOf(column)} as ${sql.ref(column)}`))}
    from once`,
  )
  await sql`
    delete from ${sql.table(table)} link
    where link.${sql.ref(owner)} in (${worksOf(source, kind)})
      and not exists (
        select from wanted where wanted.owner_id = link.${sql.ref(owner)} and wanted.position = link.position
      )`.execute(trx)
  await sql`
    insert into ${sql.table(table)} as link (${sql.ref(owner)}, position, ${sql.join([sql.ref(target), ...names])})
    select owner_id, position, target_id, ${sql.join(names)} from wanted
    order by owner_id, position
    on conflict (${sql.ref(owner)}, position) do update set ${replace('link', [target, ...columns])}`.execute(
    trx,
  )
}

/** Writes the columns of a row that is there already, if one of them differs. */
const replace = (alias: string, columns: string[]) => {
  const valuesIn = (table: string) => sql.join(columns.map((column) => sql.ref(`${table}.${column}`)))
  return sql`
    (${sql.join(columns.map((column) => sql.ref(column)))}) = row (${valuesIn('excluded')})
    where (${valuesIn(alias)}) is distinct from (${valuesIn('excluded')})`
}

/**
 * Volumes are rows of their own: they come and go with the list that names them. One that several works name belongs to
 * the first of them by source and id; as any import can change which that is, all of them are looked at.
 */
async function deriveVolumes(trx: Database, kind: 'light_novel' | 'manga', volumeKind: RecordKind) {
  const { table } = RECORD_KINDS[volumeKind]
  const names = Object.keys(COLUMNS[volumeKind])
  const all = [`${kind}_id`, 'position', ...names]
  await want(
    trx,
    sql`
    with ${itemsOf('all', kind, 'volumes', volumeKind)}
    select distinct on (target_id) target_id, owner_id, source, ref, ordinality as position
    from items
    order by target_id, rank, external_id, ordinality`,
  )
  await sql`
    delete from ${sql.table(table)} volume
    where not exists (select from wanted where wanted.target_id = volume.id)`.execute(trx)
  await sql`
    insert into ${sql.table(table)} as volume (id, ${sql.join(all.map((name) => sql.ref(name)))})
    select wanted.target_id, wanted.owner_id, wanted.position, ${sql.join(names.map((name) => sql.ref(`value.${name}`)))}
    from wanted
    join source_records record
      on record.source = wanted.source and record.kind = ${volumeKind} and record.external_id = wanted.ref
    cross join jsonb_populate_record(null::${sql.table(table)}, ${defaultsOf(COLUMNS[volumeKind])}::jsonb || record.fields) value
    order by wanted.target_id
    on conflict (id) do update set ${replace('volume', all)}`.execute(trx)
}

/** The voice actors within the cast of galgames. */
async function deriveActors(trx: Database, source: Source | 'all') {
  await want(
    trx,
    sql`
    with ${itemsOf(source, 'galgame', 'characters', 'character')},
    credits_made as materialized (
      select items.owner_id, items.source, items.target_id, items.ordinality as item, actor.value, actor.ordinality
      from items
      cross join jsonb_array_elements(coalesce(items.value -> 'actors', '[]')) with ordinality actor
    ),
    credits as (
      select distinct on (made.owner_id, made.target_id, person.entry_id)
        made.owner_id, made.target_id, made.item, made.ordinality,
        person.entry_id as person_id, made.value ->> 'credited_as' as credited_as
      from credits_made made
      join source_records person
        on person.source = made.source and person.kind = 'person' and person.external_id = made.value ->> 'ref'
      order by made.owner_id, made.target_id, person.entry_id, made.item, made.ordinality
    )
    select
      owner_id,
      target_id,
      (row_number() over (partition by owner_id, target_id order by item, ordinality))::integer as position,
      person_id,
      credited_as
    from credits`,
  )
  await sql`
    delete from galgame_character_actors link
    where link.galgame_id in (${worksOf(source, 'galgame')})
      and not exists (
        select from wanted
        where wanted.owner_id = link.galgame_id
          and wanted.target_id = link.character_id
          and wanted.position = link.position
      )`.execute(trx)
  await sql`
    insert into galgame_character_actors as link (galgame_id, character_id, position, person_id, credited_as)
    select owner_id, target_id, position, person_id, credited_as from wanted
    order by owner_id, target_id, position
    on conflict (galgame_id, character_id, position) do update
      set ${replace('link', ['person_id', 'credited_as'])}`.execute(trx)
}
