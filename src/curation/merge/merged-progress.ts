import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { createTemporaryTable } from '../../db/temporary-table.ts'
import { MAX_LABELS, MAX_PRIVATE_NOTE_LENGTH } from '../../accounts/record-limits.ts'

/** Merge of two works. */
type Merge = { id: number; kind: string; from: number; into: number }

const progressIn = (column: string) =>
  sql`jsonb_populate_record(null::progress, ${sql.ref(column)})`

/** SQL for the members of a row that differ from their defaults, as JSON. */
const statedIn = (row: string) => sql`(
  select coalesce(jsonb_object_agg(field.key, field.value), '{}')
  from jsonb_each(${sql.ref(row)}) field
  where field.value not in ('null', '0', '""', '[]')
)`

/**
 * Moves users' progress from a work to the work it is merged into. If a user has progress in both works, the row that
 * changed last stays, and the other one fills its empty fields. Notes are joined if they fit, and so are labels. Values
 * that are not kept are added to the history.
 */
export async function moveProgress(trx: Database, { id, kind, from, into }: Merge): Promise<void> {
  await createTemporaryTable(trx, 'progress_pairs')`
    select
      progress.account_id, to_jsonb(progress) as from_progress,
      case when other.work_id is not null then to_jsonb(other) end as into_progress,
      case when other.work_id is null or progress.updated_at > other.updated_at then to_jsonb(progress) else to_jsonb(other) end
        as newer,
      case when other.work_id is null then '{}'
        when progress.updated_at > other.updated_at then to_jsonb(other)
        else to_jsonb(progress)
      end as older
    from progress
    left join progress other on other.account_id = progress.account_id and other.work_id = ${into}
    where progress.work_id = ${from}`
  await sql`
    insert into merged_progress (account_id, merge_id, from_progress, into_progress, left_progress)
    select
      pair.account_id, ${id}, pair.from_progress, pair.into_progress,
      pair.newer || pair.older || ${statedIn('pair.newer')} || jsonb_build_object(
        'work_id', ${into}::bigint,
        'private_note', case
          when pair.newer ->> 'private_note' = pair.older ->> 'private_note' then pair.newer ->> 'private_note'
          when length(concat_ws(E'\n\n', nullif(pair.newer ->> 'private_note', ''), nullif(pair.older ->> 'private_note', '')))
            <= ${MAX_PRIVATE_NOTE_LENGTH}::integer
            then concat_ws(E'\n\n', nullif(pair.newer ->> 'private_note', ''), nullif(pair.older ->> 'private_note', ''))
          else pair.newer ->> 'private_note'
        end,
        'labels', (
          select coalesce(jsonb_agg(label.name order by label.place), '[]')
          from (
            select name, min(place) as place
            from jsonb_array_elements_text((pair.newer -> 'labels') || coalesce(pair.older -> 'labels', '[]'))
              with ordinality labels (name, place)
            group by name
            order by 2
            limit ${MAX_LABELS}::integer
          ) label
        )
      )
    from progress_pairs pair
    order by pair.account_id`.execute(trx)
  await sql`
    delete from progress
    using merged_progress kept
    where kept.merge_id = ${id}
      and progress.account_id = kept.account_id
      and progress.work_id in (${from}, ${into})`.execute(trx)
  await insertProgress(trx)`
    select kept.account_id, kept.left_progress as progress from merged_progress kept where kept.merge_id = ${id}`
  await sql`
    with noted as (
      insert into rating_changes (account_id, work_id, kind, action, fields)
      select pair.account_id, ${into}, ${kind}, 'CHANGED', change.fields
      from progress_pairs pair
      join merged_progress kept on kept.account_id = pair.account_id and kept.merge_id = ${id}
      cross join lateral (
        select
          coalesce(jsonb_object_agg(field.key, jsonb_build_object('from', field.value, 'to', kept.left_progress -> field.key)), '{}')
            as fields
        from jsonb_each(pair.older) field
        where field.key not in ('account_id', 'work_id', 'kind', 'updated_at')
          and field.value not in ('null', '0', '""', '[]')
          and field.value <> kept.left_progress -> field.key
      ) change
      where change.fields <> '{}'
      order by pair.account_id
      returning account_id, id
    )
    update merged_progress kept set note = noted.id
    from noted
    where kept.merge_id = ${id} and kept.account_id = noted.account_id`.execute(trx)
}

/**
 * Moves progress back when a merge is undone. Progress that has changed since stays with the other work, and its old
 * version is restored as well. Deleted progress stays deleted.
 */
export async function restoreProgress(trx: Database, merge: Merge): Promise<void> {
  const { id, into } = merge
  await createTemporaryTable(trx, 'returning_progress')`
    select
      kept.account_id, kept.from_progress, kept.into_progress, kept.note,
      current.updated_at = old.updated_at as is_untouched
    from merged_progress kept
    cross join ${progressIn('kept.left_progress')} old
    join progress current on current.account_id = kept.account_id and current.work_id = ${into}
    where kept.merge_id = ${id}`
  await sql`
    delete from rating_changes change
    using returning_progress kept
    where kept.is_untouched and change.account_id = kept.account_id and change.id = kept.note`.execute(
    trx,
  )
  await sql`
    delete from progress
    using returning_progress kept
    where kept.is_untouched and progress.account_id = kept.account_id and progress.work_id = ${into}`.execute(
    trx,
  )
  await insertProgress(trx)`
    select kept.account_id, kept.into_progress as progress
    from returning_progress kept
    where kept.is_untouched and kept.into_progress is not null
    union all
    select kept.account_id, kept.from_progress from returning_progress kept`
  await limitLabels(trx, merge)
}

/**
 * Omits labels beyond the maximum per user from the restored progress: the user may have added others since. Labels of
 * other works stay.
 */
const limitLabels = (trx: Database, { from, into }: Merge) =>
  sql`
    with used as (
      select progress.account_id, progress.work_id, label.name, label.place
      from returning_progress kept
      join progress on progress.account_id = kept.account_id
      cross join jsonb_array_elements_text(progress.labels) with ordinality label (name, place)
    ),
    numbered as (
      select
        used.account_id, used.name,
        row_number() over (
          partition by used.account_id
          order by bool_and(used.work_id in (${from}, ${into})), used.name collate "C"
        ) as number
      from used
      group by used.account_id, used.name
    )
    update progress set labels = (
      select coalesce(jsonb_agg(used.name order by used.place), '[]')
      from used
      join numbered on numbered.account_id = used.account_id and numbered.name = used.name
      where used.account_id = progress.account_id
        and used.work_id = progress.work_id
        and numbered.number <= ${MAX_LABELS}
    )
    from (select distinct numbered.account_id from numbered where numbered.number > ${MAX_LABELS}) beyond
    where progress.account_id = beyond.account_id and progress.work_id in (${from}, ${into})`.execute(
    trx,
  )

const insertProgress =
  (trx: Database) =>
  (...rows: Parameters<typeof sql>) =>
    sql`
    insert into progress
    select progress.*
    from (${sql(...rows)}) moved
    cross join ${progressIn('moved.progress')} progress
    order by progress.account_id, progress.work_id`.execute(trx)
