import type { Database } from '../../db/database.ts'
import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import { MAX_LABELS, MAX_PRIVATE_NOTE_LENGTH } from '../../accounts/record-limits.ts'
import { columnListOf } from './column-list.ts'
import type { WorkMerge } from './work-merge.ts'
import { ADD_CHANGE, DELETE_CHANGE } from './rating-statements.ts'

const PROGRESS = columnListOf<'progress'>({
  account_id: true,
  work_id: true,
  kind: true,
  started_on: true,
  finished_on: true,
  volumes_read: true,
  chapters_read: true,
  times_finished: true,
  rereads: true,
  private_note: true,
  labels: true,
  minutes: true,
  updated_at: true,
})

/** Takes the progress in the works `$2`, the one that changed last first. */
const TAKE = statement('merging.take_progress').returning<{ work_id: number; record: string }>(`
  with taken as (
    delete from progress where account_id = $1 and work_id = any($2::bigint[]) returning *
  )
  select taken.work_id, to_jsonb(taken)::text as record
  from taken
  order by taken.updated_at desc, taken.work_id = $3`)

const INSERT = statement('merging.insert_progress').sql(`
  insert into progress (${PROGRESS})
  select ${PROGRESS} from jsonb_populate_record(null::progress, $1::jsonb)`)

/** SQL for the members of a row that differ from their defaults, as JSON. */
const statedIn = (row: string) => `(
  select coalesce(jsonb_object_agg(field.key, field.value), '{}')
  from jsonb_each(${row}) field
  where field.value not in ('null', '0', '""', '[]')
)`

/** SQL for the joined notes of both rows. */
const NOTES = `concat_ws(E'\\n\\n', nullif(pair.newer ->> 'private_note', ''), nullif(pair.older ->> 'private_note', ''))`

/**
 * Combines the newer row `$1` with the older one `$2`, which may be empty, for the work `$3`. `fields` contains the
 * values that are not kept, as stored in the history.
 */
const COMBINE = statement('merging.combine_progress').returning<{
  record: string
  fields: string
}>(`
  with pair as (select $1::jsonb as newer, $2::jsonb as older),
  combined as (
    select
      pair.older,
      pair.newer || pair.older || ${statedIn('pair.newer')} || jsonb_build_object(
        'work_id', $3::bigint,
        'private_note', case
          when pair.newer ->> 'private_note' = pair.older ->> 'private_note' then pair.newer ->> 'private_note'
          when length(${NOTES}) <= ${MAX_PRIVATE_NOTE_LENGTH} then ${NOTES}
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
            limit ${MAX_LABELS}
          ) label
        )
      ) as record
    from pair
  )
  select
    combined.record::text as record,
    (
      select coalesce(
        jsonb_object_agg(field.key, jsonb_build_object('from', field.value, 'to', combined.record -> field.key)), '{}'
      )
      from jsonb_each(combined.older) field
      where field.key not in ('account_id', 'work_id', 'kind', 'updated_at')
        and field.value not in ('null', '0', '""', '[]')
        and field.value <> combined.record -> field.key
    )::text as fields
  from combined`)

const KEEP = statement('merging.keep_progress').sql(`
  insert into merged_progress (account_id, merge_id, from_progress, into_progress, left_progress, note)
  values ($1, $2, $3::jsonb, $4::jsonb, $5::jsonb, $6)`)

/**
 * Moves a user's progress from a work to the work it is merged into. If there is progress in both works, the row that
 * changed last stays, and the other one fills its empty fields. Notes are joined if they fit, and so are labels. Values
 * that are not kept are added to the history.
 */
export async function moveProgress(
  trx: Database,
  accountId: number,
  { id, kind, from, into }: WorkMerge,
): Promise<void> {
  const taken = await queryRows(trx, TAKE, [accountId, [from, into], from])
  const [newer, older] = taken
  const recordOf = (work: number) => taken.find((row) => row.work_id === work)?.record ?? null
  if (!newer) return
  const combined = await queryRow(trx, COMBINE, [newer.record, older?.record ?? '{}', into])
  if (!combined) return
  await queryRows(trx, INSERT, [combined.record])
  const note =
    combined.fields === '{}'
      ? undefined
      : await queryRow(trx, ADD_CHANGE, [accountId, into, kind, combined.fields])
  await queryRows(trx, KEEP, [
    accountId,
    id,
    recordOf(from),
    recordOf(into),
    combined.record,
    note?.id ?? null,
  ])
}

const TAKE_KEPT = statement('merging.take_merged_progress').returning<{
  from: string
  into: string | null
  at: Date
  note: number | null
}>(`
  delete from merged_progress where account_id = $1 and merge_id = $2
  returning
    from_progress::text as "from", into_progress::text as "into", (left_progress ->> 'updated_at')::timestamptz as at, note`)

const FIND = statement('merging.find_progress').returning<{ updated_at: Date }>(
  'select updated_at from progress where account_id = $1 and work_id = $2 for update',
)

const DELETE = statement('merging.delete_progress').sql(
  'delete from progress where account_id = $1 and work_id = $2',
)

/**
 * Moves progress back when a merge is undone. Progress that has changed since stays with the other work, and its old
 * version is restored as well. Deleted progress stays deleted.
 */
export async function restoreProgress(
  trx: Database,
  accountId: number,
  { id, from, into }: WorkMerge,
): Promise<void> {
  const kept = await queryRow(trx, TAKE_KEPT, [accountId, id])
  const current = await queryRow(trx, FIND, [accountId, into])
  if (!kept || !current) return
  if (current.updated_at.getTime() === kept.at.getTime()) {
    await queryRows(trx, DELETE_CHANGE, [accountId, kept.note])
    await queryRows(trx, DELETE, [accountId, into])
    if (kept.into !== null) await queryRows(trx, INSERT, [kept.into])
  }
  await queryRows(trx, INSERT, [kept.from])
  await queryRows(trx, LIMIT_LABELS, [accountId, [from, into]])
}

/**
 * Omits labels beyond the maximum per user from the restored progress: the user may have added others since. Labels of
 * other works stay.
 */
const LIMIT_LABELS = statement('merging.limit_labels').sql(`
  with used as (
    select progress.work_id, label.name, label.place
    from progress
    cross join jsonb_array_elements_text(progress.labels) with ordinality label (name, place)
    where progress.account_id = $1
  ),
  numbered as (
    select
      used.name,
      row_number() over (order by bool_and(used.work_id = any($2::bigint[])), used.name collate "C") as number
    from used
    group by used.name
  )
  update progress set labels = (
    select coalesce(jsonb_agg(used.name order by used.place), '[]')
    from used
    join numbered on numbered.name = used.name
    where used.work_id = progress.work_id and numbered.number <= ${MAX_LABELS}
  )
  where progress.account_id = $1 and progress.work_id = any($2::bigint[])
    and exists (select from numbered where numbered.number > ${MAX_LABELS})`)
