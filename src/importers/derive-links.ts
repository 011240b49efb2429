import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { LINK_DEFAULTS, LINK_TABLES, type LinkTable } from './columns.ts'
import { ENTRY_TABLES } from './columns.ts'
import { SOURCE_RANK, type EntryKind, type Source } from './record.ts'

const rank = sql.raw(`array[${SOURCE_RANK.map((source) => `'${source}'`).join(', ')}]`)

/**
 * Writes the lists of every work the source has a record of: each from the best source that has one. A target that is
 * not loaded is passed over, and found by a later import. Rows that are right already are not touched.
 */
export async function deriveLinks(trx: Database, source: Source) {
  await deriveVolumes(trx, 'light_novel', 'light_novel_volume')
  await deriveVolumes(trx, 'manga', 'manga_volume')
  for (const link of LINK_TABLES) await deriveList(trx, source, link)
  await deriveActors(trx, source)
}

/**
 * For each of the works (the source's, or all), the list of the best source that has one, item by item with the entry it
 * refers to; `rank` orders lists that want the same thing.
 */
const itemsOf = (source: Source | 'all', kind: EntryKind, list: string, targetKind: EntryKind) => sql`
  works_of_source as (
    select distinct entry_id from source_records
    where kind = ${kind} ${source === 'all' ? sql`` : sql`and source = ${source}`}
  ),
  chosen as (
    select distinct on (record.entry_id)
      record.entry_id as owner_id,
      record.source,
      array_position(${rank}::text[], record.source) as rank,
      record.external_id,
      record.links -> ${list} as items
    from works_of_source work
    join source_records record on record.kind = ${kind} and record.entry_id = work.entry_id
    where jsonb_array_length(coalesce(record.links -> ${list}, '[]')) > 0
    order by record.entry_id, array_position(${rank}::text[], record.source), record.external_id
  ),
  items as (
    select
      chosen.owner_id, chosen.source, chosen.rank, chosen.external_id,
      target.entry_id as target_id, target.external_id as ref, item.value, item.ordinality
    from chosen
    cross join jsonb_array_elements(chosen.items) with ordinality item
    join source_records target
      on target.source = chosen.source and target.kind = ${targetKind} and target.external_id = item.value ->> 'ref'
  )`

async function deriveList(trx: Database, source: Source, link: LinkTable) {
  const { kind, list, table, owner, target, targetKind, columns, distinctBy } = link
  const valueOf = (column: string) => {
    const fallback = LINK_DEFAULTS[`${table}.${column}`]
    return fallback === undefined
      ? sql`items.value ->> ${sql.lit(column)}`
      : sql`coalesce(items.value ->> ${sql.lit(column)}, ${sql.lit(fallback)})`
  }
  const distinct = sql.join([
    sql`owner_id`,
    sql`target_id`,
    ...distinctBy.map((column) => sql`items.value ->> ${sql.lit(column)}`),
  ])
  const names = columns.map((column) => sql.ref(column))
  const written = sql.join([sql.ref(target), ...names])
  await sql`
    with ${itemsOf(source, kind, list, targetKind)},
    once as (
      select distinct on (${distinct})
        owner_id, target_id, ordinality, ${sql.join(columns.map((column) => sql`${valueOf(column)} as ${sql.ref(column)}`))}
      from items
      order by ${distinct}, ordinality
    ),
    wanted as (
      select once.*, row_number() over (partition by owner_id order by ordinality) as position from once
    ),
    removed as (
      delete from ${sql.table(table)} link
      where link.${sql.ref(owner)} in (select entry_id from works_of_source)
        and not exists (
          select from wanted where wanted.owner_id = link.${sql.ref(owner)} and wanted.position = link.position
        )
    )
    insert into ${sql.table(table)} as link (${sql.ref(owner)}, position, ${written})
    select owner_id, position, target_id, ${sql.join(names)} from wanted
    order by owner_id, position
    on conflict (${sql.ref(owner)}, position) do update
      set (${written}) = row (${sql.join([target, ...columns].map((column) => sql`excluded.${sql.ref(column)}`))})
      where (${sql.join([target, ...columns].map((column) => sql`link.${sql.ref(column)}`))})
        is distinct from (${sql.join([target, ...columns].map((column) => sql`excluded.${sql.ref(column)}`))})`.execute(
    trx,
  )
}

/**
 * Volumes are rows of their own: they come and go with the list that names them. One that several works name belongs to
 * the first of them by source and id; as any import can change which that is, all of them are looked at.
 */
async function deriveVolumes(trx: Database, kind: 'light_novel' | 'manga', volumeKind: EntryKind) {
  const { table, columns } = ENTRY_TABLES[volumeKind]
  const owner = `${kind}_id`
  const names = Object.keys(columns)
  const all = [owner, 'position', ...names]
  const defaults = JSON.stringify(
    Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== null)),
  )
  await sql`
    with ${itemsOf('all', kind, 'volumes', volumeKind)},
    wanted as (
      select distinct on (target_id) target_id, owner_id, source, ref, ordinality as position
      from items order by target_id, rank, external_id, ordinality
    ),
    removed as (
      delete from ${sql.table(table)} volume
      where not exists (select from wanted where wanted.target_id = volume.id)
    )
    insert into ${sql.table(table)} as volume (id, ${sql.join(all.map((name) => sql.ref(name)))})
    select wanted.target_id, wanted.owner_id, wanted.position, ${sql.join(names.map((name) => sql.ref(`value.${name}`)))}
    from wanted
    join source_records record
      on record.source = wanted.source and record.kind = ${volumeKind} and record.external_id = wanted.ref
    cross join jsonb_populate_record(null::${sql.table(table)}, ${defaults}::jsonb || record.fields) value
    order by wanted.target_id
    on conflict (id) do update
      set (${sql.join(all.map((name) => sql.ref(name)))}) = row (${sql.join(all.map((name) => sql`excluded.${sql.ref(name)}`))})
      where (${sql.join(all.map((name) => sql`volume.${sql.ref(name)}`))})
        is distinct from (${sql.join(all.map((name) => sql`excluded.${sql.ref(name)}`))})`.execute(trx)
}

/** The voice actors within the cast of galgames. */
async function deriveActors(trx: Database, source: Source) {
  await sql`
    with ${itemsOf(source, 'galgame', 'characters', 'character')},
    credits as (
      select distinct on (items.owner_id, items.target_id, person.entry_id)
        items.owner_id, items.target_id, person.entry_id as person_id,
        actor.value ->> 'credited_as' as credited_as, items.ordinality as item, actor.ordinality
      from items
      cross join jsonb_array_elements(coalesce(items.value -> 'actors', '[]')) with ordinality actor
      join source_records person
        on person.source = items.source and person.kind = 'person' and person.external_id = actor.value ->> 'ref'
      order by items.owner_id, items.target_id, person.entry_id, items.ordinality, actor.ordinality
    ),
    wanted as (
      select credits.*, row_number() over (partition by owner_id, target_id order by item, ordinality) as position
      from credits
    ),
    removed as (
      delete from galgame_character_actors link
      where link.galgame_id in (select entry_id from works_of_source)
        and not exists (
          select from wanted
          where wanted.owner_id = link.galgame_id
            and wanted.target_id = link.character_id
            and wanted.position = link.position
        )
    )
    insert into galgame_character_actors as link (galgame_id, character_id, position, person_id, credited_as)
    select owner_id, target_id, position, person_id, credited_as from wanted
    order by owner_id, target_id, position
    on conflict (galgame_id, character_id, position) do update
      set person_id = excluded.person_id, credited_as = excluded.credited_as
      where (link.person_id, link.credited_as) is distinct from (excluded.person_id, excluded.credited_as)`.execute(
    trx,
  )
}
