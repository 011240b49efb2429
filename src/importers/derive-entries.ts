import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { ENTRY_TABLES, WORK_KINDS } from './columns.ts'
import { SOURCE_RANK, type EntryKind } from './record.ts'

const rank = sql.raw(`array[${SOURCE_RANK.map((source) => `'${source}'`).join(', ')}]`)

const isTime = (column: string) => ['created_at', 'updated_at', 'revised_at'].includes(column)

/** The columns of `alias` side by side, to be compared or written. */
const columnsOf = (alias: string, columns: string[]) =>
  sql.join(columns.map((column) => sql.ref(`${alias}.${column}`)))

/**
 * Writes the rows of the changed entries anew: for each field the word of the best source that says anything, else the
 * column's default. What comes out does not depend on the order of the imports. A row that reads the same is not touched.
 */
export async function deriveEntries(trx: Database, kind: EntryKind) {
  await mergeFields(trx, kind)
  await keepRowsToWrite(trx, kind)
  if (isWork(kind)) await saveWorks(trx, kind)
  await saveRows(trx, kind)
}

const isWork = (kind: EntryKind) => WORK_KINDS.some((work) => work === kind)

async function mergeFields(trx: Database, kind: EntryKind) {
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
}

/**
 * Makes `entry_rows` of the entries that are new or read differently now, with their times: those of the source, which
 * never go back, else that of the import. `revised_at` stays null until something changes.
 */
async function keepRowsToWrite(trx: Database, kind: EntryKind) {
  const { table } = ENTRY_TABLES[kind]
  const timed = isWork(kind) ? 'works' : table
  const plain = plainColumns(kind)
  const shared = isWork(kind) ? ['nsfw', 'tags'] : []
  await sql`drop table if exists entry_rows`.execute(trx)
  await sql`
    create temporary table entry_rows on commit drop as
    with compared as (
      select
        merged.id,
        merged.fields,
        stored.id is null as is_new,
        stored as stored,
        said as said,
        row (${columnsOf('entry', plain)}, ${columnsOf('stored', [...shared, 'created_at'])})
          is distinct from
          row (
            ${columnsOf('value', plain)},
            ${shared.length > 0 ? sql`${columnsOf('said', shared)},` : sql``}
            coalesce(said.created_at, stored.created_at)
          ) as differs
      from merged_fields merged
      left join ${sql.table(timed)} stored on stored.id = merged.id
      left join ${sql.table(table)} entry on entry.id = merged.id
      cross join jsonb_populate_record(null::${sql.table(table)}, ${defaultsOf(kind)}::jsonb || merged.fields) value
      cross join jsonb_populate_record(null::${sql.table(timed)}, '{"nsfw": false, "tags": []}' || merged.fields) said
    )
    select
      id,
      fields,
      coalesce((said).created_at, (stored).created_at, now()) as created_at,
      case
        when is_new then coalesce((said).updated_at, now())
        when (said).updated_at > (stored).updated_at then (said).updated_at
        when differs then now()
        else (stored).updated_at
      end as updated_at,
      case
        when is_new or (said).revised_at > coalesce((stored).revised_at, '-infinity') then (said).revised_at
        when differs then now()
        else (stored).revised_at
      end as revised_at
    from compared
    where differs
      or (said).updated_at > (stored).updated_at
      or (said).revised_at > coalesce((stored).revised_at, '-infinity')`.execute(trx)
}

/** The part every work has. */
async function saveWorks(trx: Database, kind: EntryKind) {
  await sql`
    insert into works as work (id, kind, nsfw, tags, created_at, updated_at, revised_at)
    select
      id,
      ${kind},
      coalesce((fields ->> 'nsfw')::boolean, false),
      coalesce(fields -> 'tags', '[]'),
      created_at,
      updated_at,
      revised_at
    from entry_rows
    order by id
    on conflict (id) do update set
      (nsfw, tags, created_at, updated_at, revised_at) =
        (excluded.nsfw, excluded.tags, excluded.created_at, excluded.updated_at, excluded.revised_at)`.execute(
    trx,
  )
}

async function saveRows(trx: Database, kind: EntryKind) {
  const { table, columns } = ENTRY_TABLES[kind]
  const plain = plainColumns(kind)
  const times = Object.keys(columns).filter(isTime)
  const all = [...plain, ...times]
  await sql`
    insert into ${sql.table(table)} as entry (id, ${sql.join(all.map((column) => sql.ref(column)))})
    select ${columnsOf('entry_rows', ['id'])}, ${sql.join([
      ...plain.map((column) => sql.ref(`value.${column}`)),
      ...times.map((column) => sql.ref(`entry_rows.${column}`)),
    ])}
    from entry_rows
    cross join jsonb_populate_record(null::${sql.table(table)}, ${defaultsOf(kind)}::jsonb || entry_rows.fields) value
    order by entry_rows.id
    on conflict (id) do update set
      (${sql.join(all.map((column) => sql.ref(column)))}) = row (${columnsOf('excluded', all)})`.execute(trx)
}

const plainColumns = (kind: EntryKind) =>
  Object.keys(ENTRY_TABLES[kind].columns).filter((column) => !isTime(column))

const defaultsOf = (kind: EntryKind) =>
  JSON.stringify(
    Object.fromEntries(Object.entries(ENTRY_TABLES[kind].columns).filter(([, value]) => value !== null)),
  )
