import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { isWorkKind, KINDS, type EntryKind } from '../../catalog/kinds.ts'
import { COLUMNS, defaultsJson, WORK_COLUMNS, withoutTimes } from '../../sources/records/columns.ts'
import { fieldRank, itemIdentity, TITLES, MERGED_LISTS } from './source-ranks.ts'

/** SQL for a list of columns, qualified with `alias` if it is not empty. */
const columnsOf = (alias: string, columns: string[]) =>
  sql.join(columns.map((column) => sql.ref(alias ? `${alias}.${column}` : column)))

/**
 * Derives the rows of the changed entries. Each field has the value of the most trusted source that states one, or
 * else the default. The result does not depend on the order of imports. Unchanged rows are not written.
 */
export async function deriveEntries(trx: Database, kind: EntryKind) {
  await mergeFields(trx, kind)
  await findRowsToWrite(trx, kind)
  if (isWorkKind(kind)) {
    await saveColumns(trx, 'works', WORK_COLUMNS, kind)
    await sql`
      insert into work_refs (id, kind) select id, ${kind} from entry_rows order by id on conflict (id) do nothing`.execute(
      trx,
    )
  }
  await saveColumns(trx, KINDS[kind].table, COLUMNS[kind])
}

/**
 * Creates `merged_fields`: the merged fields of entries with several records. They are null for entries with one
 * record, which are the majority; their fields are read directly from the record.
 */
async function mergeFields(trx: Database, kind: EntryKind) {
  const { titles, others } = TITLES[kind]
  const titleNames = sql.join(titles.map((title) => sql.lit(title)))
  const lists = sql.join(Object.keys(MERGED_LISTS).map((list) => sql.lit(list)))
  await sql`drop table if exists merged_fields`.execute(trx)
  await sql`
    create temporary table merged_fields on commit drop as
    with counted as (
      select record.entry_id, count(*) as records
      from changed_entries changed
      join source_records record on record.kind = changed.kind and record.entry_id = changed.entry_id
      where changed.kind = ${kind}
      group by record.entry_id
      -- values set by hand do not keep an entry without a source alive
      having bool_or(not is_local_edit(record))
    ),
    statements as materialized (
      select
        record.entry_id as id, record.source, record.external_id, field.key, field.value,
        ${sql.raw(fieldRank('field.key', 'record.source'))} as rank
      from counted
      join source_records record on record.kind = ${kind} and record.entry_id = counted.entry_id
      cross join jsonb_each(record.fields) field
      where counted.records > 1
    ),
    chosen as (
      select distinct on (id, key) id, key, value, source
      from statements
      order by id, key, rank, external_id <> 'entry:' || id, external_id collate "C"
    ),
    items as (
      select statements.id, statements.key, listed.item, statements.rank, statements.external_id, listed.ordinality
      from statements
      cross join jsonb_array_elements(case when jsonb_typeof(statements.value) = 'array' then statements.value else '[]' end)
        with ordinality listed (item, ordinality)
      where statements.key in (${lists})
      union all
      select statements.id, ${others}, statements.value, 100 + statements.rank, statements.external_id, array_position(array[${titleNames}], statements.key)
      from statements
      where statements.key in (${titleNames})
    ),
    named as (
      select items.*, ${sql.raw(itemIdentity('items.key'))} as identity from items
    ),
    shown_titles as (
      select chosen.id, ${sql.raw(itemIdentity(`'${others}'`))} as identity
      from chosen cross join lateral (select chosen.value as item) title
      where chosen.key in (${titleNames})
    ),
    distinct_items as (
      select distinct on (id, key, identity) id, key, item, rank, external_id, ordinality
      from named
      where key <> ${others}
        or not exists (
          select from shown_titles shown where shown.id = named.id and shown.identity = named.identity
        )
      order by
        id, key, identity, rank, case when key = 'source_scores' then -(item ->> 'votes')::numeric end,
        external_id collate "C", ordinality
    ),
    united as (
      select
        id, key,
        jsonb_agg(item order by case when key = 'tags' then -(item ->> 'likes')::numeric end, rank, external_id collate "C", ordinality) as value
      from distinct_items
      where not exists (
        select from chosen
        where chosen.id = distinct_items.id and chosen.key = distinct_items.key and chosen.source = 'local'
      )
      group by id, key
    )
    select entry_id as id, null::jsonb as fields from counted where records = 1
    union all
    select id, jsonb_object_agg(key, value)
    from (
      select id, key, value from united
      union all
      select chosen.id, chosen.key, chosen.value
      from chosen
      where not exists (select from united where united.id = chosen.id and united.key = chosen.key)
        -- a full date from any source replaces a partial one
        and not (
          chosen.source <> 'local'
          and exists (select from chosen day where day.id = chosen.id and day.key || '_text' = chosen.key)
        )
    ) merged
    group by id`.execute(trx)
}

/**
 * Creates `entry_rows`: rows of entries that are new or changed, with their timestamps. Timestamps come from the
 * source and never decrease. If the source states none, the time of the import is used. `revised_at` stays null until
 * the first change.
 */
async function findRowsToWrite(trx: Database, kind: EntryKind) {
  const { table, isWork } = KINDS[kind]
  const timed = isWork ? 'works' : table
  const plain = Object.keys(withoutTimes(COLUMNS[kind]))
  const shared = isWork ? Object.keys(withoutTimes(WORK_COLUMNS)) : []
  // Only works have their timestamps in another table.
  const stated = isWork ? 'stated' : 'value'
  await sql`drop table if exists entry_rows`.execute(trx)
  await sql`
    create temporary table entry_rows on commit drop as
    with compared as (
      select
        merged.id,
        ${columnsOf('value', plain)},
        ${shared.length > 0 ? sql`${columnsOf('stated', shared)},` : sql``}
        stored.id is null as is_new,
        stored as stored,
        ${sql.ref(stated)} as stated,
        row (${columnsOf('entry', plain)}, ${columnsOf('stored', [...shared, 'created_at'])})
          is distinct from
          row (
            ${columnsOf('value', plain)},
            ${shared.length > 0 ? sql`${columnsOf('stated', shared)},` : sql``}
            coalesce(${sql.ref(`${stated}.created_at`)}, stored.created_at)
          ) as differs
      from merged_fields merged
      left join source_records record
        on merged.fields is null and record.kind = ${kind} and record.entry_id = merged.id
      cross join lateral (select coalesce(merged.fields, record.fields) as fields) source
      left join ${sql.table(timed)} stored on stored.id = merged.id
      left join ${sql.table(table)} entry on entry.id = merged.id
      cross join jsonb_populate_record(null::${sql.table(table)}, ${defaultsJson(COLUMNS[kind])}::jsonb || source.fields) value
      ${isWork ? sql`cross join jsonb_populate_record(null::works, ${defaultsJson(WORK_COLUMNS)}::jsonb || source.fields) stated` : sql``}
    )
    select
      id,
      ${sql.join([...plain, ...shared].map((column) => sql.ref(column)))},
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

/** @param kind value of the column `kind`, which only the table of works has */
async function saveColumns(trx: Database, table: string, columns: object, kind?: EntryKind) {
  const names = Object.keys(columns)
  await sql`
    insert into ${sql.table(table)} as entry (id, ${kind ? sql`kind,` : sql``} ${columnsOf('', names)})
    select id, ${kind ? sql`${kind},` : sql``} ${columnsOf('', names)} from entry_rows order by id
    on conflict (id) do update set (${columnsOf('', names)}) = row (${columnsOf('excluded', names)})`.execute(
    trx,
  )
}
