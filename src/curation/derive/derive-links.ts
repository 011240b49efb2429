import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { createTemporaryTable } from '../../db/temporary-table.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import { rememberCredited } from '../../search/index/touched-queries.ts'
import { hasManyChanges } from './changed-entries.ts'
import { createChangedWorks } from './changed-works.ts'
import { changedWorks, wantedItems, updateIfChanged } from './wanted-items.ts'
import { deriveVolumes } from './derive-volumes.ts'
import { joinVolumes } from '../join/join-volumes.ts'
import { LINK_DEFAULTS, LINK_TABLES, type LinkTable } from '../records/link-tables.ts'

/**
 * Derives the lists that `changed_entries` may affect, each from the most trusted source that has it. Targets that are
 * not loaded are skipped, and added once they are loaded. Unchanged rows are not written.
 */
export async function deriveLinks(trx: Database) {
  // Otherwise, the planner would use statistics from before this import. A single merge changes too little to matter.
  if (await hasManyChanges(trx)) await sql`analyze source_records`.execute(trx)
  await joinVolumes(trx)
  await createChangedWorks(trx)
  for (const kind of ['light_novel', 'manga'] as const) await deriveVolumes(trx, kind)
  const { rows } = await sql<{ kind: WorkKind }>`select distinct kind from changed_works`.execute(
    trx,
  )
  const kinds = new Set(rows.map(({ kind }) => kind))
  if (kinds.has('galgame'))
    await rememberCredited(trx, `select entry_id from changed_works where kind = 'galgame'`)
  for (const link of LINK_TABLES) if (kinds.has(link.kind)) await deriveList(trx, link)
  if (kinds.has('galgame')) await deriveActors(trx)
}

async function deriveList(trx: Database, link: LinkTable) {
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
  await createTemporaryTable(trx, 'wanted')`
    with ${wantedItems('changed', kind, list, targetKind)},
    once as (
      select distinct on (${distinct}) owner_id, target_id, ordinality, value
      from items
      ${kind === targetKind ? sql`where target_id <> owner_id` : sql``}
      order by ${distinct}, ordinality
    )
    select
      owner_id,
      (row_number() over (partition by owner_id order by ordinality))::integer as position,
      target_id,
      ${sql.join(columns.map((column) => sql`${valueOf(column)} as ${sql.ref(column)}`))}
    from once`
  await sql`
    delete from ${sql.table(table)} link
    where link.${sql.ref(owner)} in (${changedWorks(kind)})
      and not exists (
        select from wanted where wanted.owner_id = link.${sql.ref(owner)} and wanted.position = link.position
      )`.execute(trx)
  await sql`
    insert into ${sql.table(table)} as link (${sql.ref(owner)}, position, ${sql.join([sql.ref(target), ...names])})
    select owner_id, position, target_id, ${sql.join(names)} from wanted
    order by owner_id, position
    on conflict (${sql.ref(owner)}, position) do update set ${updateIfChanged('link', [target, ...columns])}`.execute(
    trx,
  )
}

async function deriveActors(trx: Database) {
  await createTemporaryTable(trx, 'wanted')`
    with ${wantedItems('changed', 'galgame', 'characters', 'character')},
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
    from credits`
  await sql`
    delete from galgame_character_actors link
    where link.galgame_id in (${changedWorks('galgame')})
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
      set ${updateIfChanged('link', ['person_id', 'credited_as'])}`.execute(trx)
}
