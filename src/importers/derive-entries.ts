import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { ENTRY_TABLES, WORK_KINDS } from './columns.ts'
import { SOURCE_RANK, type EntryKind } from './record.ts'

const isWork = (kind: EntryKind) => WORK_KINDS.some((work) => work === kind)

/**
 * Writes the rows of the changed entries anew: for each field the word of the best source that says anything, else the
 * column's default. What comes out does not depend on the order of the imports.
 */
export async function deriveEntries(trx: Database, kind: EntryKind) {
  await sql`drop table if exists merged_fields`.execute(trx)
  await sql`
    create temporary table merged_fields on commit drop as
    select
      record.entry_id as id,
      -- of two values for one key the last is kept: the best source speaks last
      jsonb_object_agg(
        field.key, field.value
        order by array_position(${rank}::text[], record.source) desc, record.external_id desc
      ) as fields
    from changed_entries changed
    join source_records record on record.kind = changed.kind and record.entry_id = changed.entry_id
    cross join jsonb_each(record.fields) field
    where changed.kind = ${kind}
    group by record.entry_id`.execute(trx)
  if (isWork(kind)) await saveWorks(trx, kind)
  await saveRows(trx, kind)
}

const rank = sql.raw(`array[${SOURCE_RANK.map((source) => `'${source}'`).join(', ')}]`)

/** The part every work has: `revised_at` stays null until something changes. */
async function saveWorks(trx: Database, kind: EntryKind) {
  await sql`
    insert into works as work (id, kind, nsfw, tags, created_at, updated_at, revised_at)
    select
      id,
      ${kind},
      coalesce((fields ->> 'nsfw')::boolean, false),
      coalesce(fields -> 'tags', '[]'),
      coalesce((fields ->> 'created_at')::timestamptz, now()),
      coalesce((fields ->> 'updated_at')::timestamptz, now()),
      (fields ->> 'revised_at')::timestamptz
    from merged_fields
    order by id
    on conflict (id) do update set
      nsfw = excluded.nsfw,
      tags = excluded.tags,
      updated_at = excluded.updated_at,
      revised_at = coalesce(excluded.revised_at, now())`.execute(trx)
}

async function saveRows(trx: Database, kind: EntryKind) {
  const { table, columns } = ENTRY_TABLES[kind]
  const isTime = (column: string) => column.endsWith('_at') && column !== 'latest_chapter_at'
  const plain = Object.keys(columns).filter((column) => !isTime(column))
  const hasTimes = plain.length < Object.keys(columns).length
  const defaults = JSON.stringify(
    Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== null)),
  )

  const names = sql.join(plain.map((column) => sql.ref(column)))
  const values = sql.join(plain.map((column) => sql.ref(`value.${column}`)))
  const updates = sql.join(plain.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`))
  await sql`
    insert into ${sql.table(table)} as entry
      (id, ${names}${hasTimes ? sql`, created_at, updated_at, revised_at` : sql``})
    select
      merged.id, ${values}
      ${hasTimes ? sql`, coalesce(value.created_at, now()), coalesce(value.updated_at, now()), value.revised_at` : sql``}
    from merged_fields merged
    cross join jsonb_populate_record(null::${sql.table(table)}, ${defaults}::jsonb || merged.fields) value
    order by merged.id
    on conflict (id) do update set
      ${updates}
      ${hasTimes ? sql`, updated_at = excluded.updated_at, revised_at = coalesce(excluded.revised_at, now())` : sql``}`.execute(
    trx,
  )
}
