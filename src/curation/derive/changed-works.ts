import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { LINK_TABLES, type ListTable } from '../records/link-tables.ts'

const VOLUMES: ListTable[] = (['light_novel', 'manga'] as const).map((kind) => ({
  kind,
  list: 'volumes',
  table: `${kind}_volumes`,
  owner: `${kind}_id`,
  target: 'id',
  targetKind: `${kind}_volume`,
}))

const ACTORS: ListTable = {
  kind: 'galgame',
  list: 'characters',
  table: 'galgame_character_actors',
  owner: 'galgame_id',
  target: 'person_id',
  targetKind: 'person',
}

/**
 * Creates the temporary table `changed_works`: works whose lists may change. These are the works in `changed_entries`,
 * the works whose lists show one of these entries, and the works whose lists refer to one of these entries' records,
 * which may be new or have moved from another entry.
 */
export async function createChangedWorks(trx: Database): Promise<void> {
  await sql`drop table if exists changed_works`.execute(trx)
  await sql`
    create temporary table changed_works (kind text, entry_id bigint, primary key (kind, entry_id)) on commit drop`.execute(
    trx,
  )
  await sql`analyze changed_entries`.execute(trx)
  await addChangedWorks(
    trx,
  )`select kind, entry_id from changed_entries where kind in (${sql.join(WORK_KINDS.map((kind) => sql.lit(kind)))})`
  for (const list of [...LINK_TABLES, ...VOLUMES, ACTORS])
    await addChangedWorks(trx)`${worksListing(list)}`
  for (const kind of WORK_KINDS) await addReferringWorks(trx, kind)
  await sql`analyze changed_works`.execute(trx)
}

const addChangedWorks =
  (trx: Database) =>
  (...works: Parameters<typeof sql>) =>
    sql`insert into changed_works (kind, entry_id) ${sql(...works)} on conflict do nothing`.execute(
      trx,
    )

const worksListing = ({ kind, table, owner, target, targetKind }: ListTable) => sql`
  select distinct ${kind}, link.${sql.ref(owner)}
  from changed_entries changed
  join ${sql.table(table)} link on link.${sql.ref(target)} = changed.entry_id
  where changed.kind = ${targetKind}`

/**
 * Adds works whose lists refer to changed records, by reading the lists of all works that have not been added yet.
 * After a first import, all works have been added.
 */
async function addReferringWorks(trx: Database, kind: WorkKind) {
  const lists = [...LINK_TABLES, ...VOLUMES].filter((list) => list.kind === kind)
  const named = lists.map(
    ({ list, targetKind }) => sql`
    select record.entry_id, record.source, ${sql.lit(targetKind)} as target_kind, item ->> 'ref' as ref
    from others record cross join jsonb_array_elements(record.links -> ${sql.lit(list)}) item`,
  )
  if (kind === 'galgame')
    named.push(sql`
    select record.entry_id, record.source, 'person', actor ->> 'ref'
    from others record
    cross join jsonb_array_elements(record.links -> 'characters') item
    cross join jsonb_array_elements(item -> 'actors') actor`)
  await addChangedWorks(trx)`
    with others as (
      select record.source, record.entry_id, record.links
      from source_records record
      where record.kind = ${kind}
        and not exists (
          select from changed_works work where work.kind = record.kind and work.entry_id = record.entry_id
        )
    ),
    changed_records as materialized (
      select record.source, record.kind, record.external_id
      from changed_entries changed
      join source_records record on record.kind = changed.kind and record.entry_id = changed.entry_id
    )
    select distinct ${kind}, named.entry_id
    from (${sql.join(named, sql` union all `)}) named
    join changed_records changed
      on changed.source = named.source and changed.kind = named.target_kind and changed.external_id = named.ref`
}

/** Returns true if the volumes of this kind of work may change. */
export async function mayVolumesChange(trx: Database, kind: WorkKind): Promise<boolean> {
  const { rows } = await sql`
    select from changed_works where kind = ${kind}
    union all
    select from changed_entries where kind = ${`${kind}_volume`}
    limit 1`.execute(trx)
  return rows.length > 0
}
