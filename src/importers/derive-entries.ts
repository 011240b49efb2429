import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { isWorkKind, KINDS, type EntryKind } from '../catalog/kinds.ts'
import { COLUMNS, defaultsOf, WORK_COLUMNS } from './columns.ts'
import { SOURCE_RANK } from './record.ts'

const rank = sql.raw(`array[${SOURCE_RANK.map((source) => `'${source}'`).join(', ')}]`)

const isTime = (column: string) => ['created_at', 'updated_at', 'revised_at'].includes(column)

/** Columns side by side, of `alias` or bare. */
const columnsOf = (alias: string, columns: string[]) =>
  sql.join(columns.map((column) => sql.ref(alias ? `${alias}.${column}` : column)))

/**
 * Writes the rows of the changed entries anew: for each field the word of the best source that says anything, else the
 * column's default. What comes out does not depend on the order of the imports. A row that reads the same is not touched.
 */
export async function deriveEntries(trx: Database, kind: EntryKind) {
  await mergeFields(trx, kind)
  await keepRowsToWrite(trx, kind)
  if (isWorkKind(kind)) await saveWorks(trx, kind)
  await saveOwnRows(trx, kind)
}

async function mergeFields(trx: Database, kind: EntryKind) {
  await sql`drop table if exists merged_fields`.execute(trx)
  await sql`
    create temporary table merged_fields on commit drop as
    with records as (
      select record.*, count(*) over (partition by record.entry_id) as sharing
      from changed_entries changed
      join source_records record on record.kind = changed.kind and record.entry_id = changed.entry_id
      where changed.kind = ${kind}
    )
    -- most entries have one record, which need not be taken apart
    select entry_id as id, fields from records where sharing = 1
    union all
    select
      record.entry_id,
      -- of two values for one key the last is kept: the best source speaks last
      jsonb_object_agg(
        field.key, field.value
        order by array_position(${rank}::text[], record.source) desc, record.external_id collate "C" desc
      )
    from records record
    cross join jsonb_each(record.fields) field
    where record.sharing > 1
    group by record.entry_id`.execute(trx)
}

/**
 * Makes `entry_rows` of the entries that are new or read differently now, with their times: those of the source, which
 * never go back, else that of the import. `revised_at` stays null until something changes.
 */
async function keepRowsToWrite(trx: Database, kind: EntryKind) {
  const { table, isWork } = KINDS[kind]
  const timed = isWork ? 'works' : table
  const plain = withoutTimes(COLUMNS[kind])
  const shared = isWork ? withoutTimes(WORK_COLUMNS) : []
  await sql`drop table if exists entry_rows`.execute(trx)
  await sql`
    create temporary table entry_rows on commit drop as
    with compared as (
      select
        merged.id,
        merged.fields,
        stored.id is null as is_new,
        stored as stored,
        stated as stated,
        row (${columnsOf('entry', plain)}, ${columnsOf('stored', [...shared, 'created_at'])})
          is distinct from
          row (
            ${columnsOf('value', plain)},
            ${shared.length > 0 ? sql`${columnsOf('stated', shared)},` : sql``}
            coalesce(stated.created_at, stored.created_at)
          ) as differs
      from merged_fields merged
      left join ${sql.table(timed)} stored on stored.id = merged.id
      left join ${sql.table(table)} entry on entry.id = merged.id
      cross join jsonb_populate_record(null::${sql.table(table)}, ${defaultsOf(COLUMNS[kind])}::jsonb || merged.fields) value
      cross join jsonb_populate_record(null::${sql.table(timed)}, ${defaultsOf(WORK_COLUMNS)}::jsonb || merged.fields) stated
    )
    select
      id,
      fields,
      coalesce((stated).created_at, (stored).created_at, now()) as created_at,
      case
        when is_new then coalesce((stated).updated_at, now())
        when (stated).updated_at > (stored).updated_at then (stated).updated_at
        when differs then now()
        else (stored).updated_at
      end as updated_at,
      case
        when is_new or (stated).revised_at > coalesce((stored).revised_at, '-infinity') then (stated).revised_at
        when differs then now()
        else (stored).revised_at
      end as revised_at
    from compared
    where differs
      or (stated).updated_at > (stored).updated_at
      or (stated).revised_at > coalesce((stored).revised_at, '-infinity')`.execute(trx)
}

/** The part every work has. */
async function saveWorks(trx: Database, kind: EntryKind) {
  const { names, values, from } = rowsOf('works', WORK_COLUMNS)
  await sql`
    insert into works as work (id, kind, ${columnsOf('', names)})
    select entry_rows.id, ${kind}, ${values} from ${from} order by entry_rows.id
    on conflict (id) do update set (${columnsOf('', names)}) = row (${columnsOf('excluded', names)})`.execute(
    trx,
  )
}

async function saveOwnRows(trx: Database, kind: EntryKind) {
  const { table } = KINDS[kind]
  const { names, values, from } = rowsOf(table, COLUMNS[kind])
  await sql`
    insert into ${sql.table(table)} as entry (id, ${columnsOf('', names)})
    select entry_rows.id, ${values} from ${from} order by entry_rows.id
    on conflict (id) do update set (${columnsOf('', names)}) = row (${columnsOf('excluded', names)})`.execute(
    trx,
  )
}

/** Columns of a table and where their values are: times in `entry_rows`, the rest among the merged fields. */
function rowsOf(table: string, columns: object) {
  const names = Object.keys(columns)
  return {
    names,
    values: sql.join(names.map((name) => sql.ref(`${isTime(name) ? 'entry_rows' : 'value'}.${name}`))),
    from: sql`entry_rows
      cross join jsonb_populate_record(null::${sql.table(table)}, ${defaultsOf(columns)}::jsonb || entry_rows.fields) value`,
  }
}

const withoutTimes = (columns: object) => Object.keys(columns).filter((column) => !isTime(column))
