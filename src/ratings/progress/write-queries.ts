import type { WorkKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import { MAX_LABELS } from '../../accounts/record-limits.ts'
import {
  BLANK_PROGRESS,
  isBlankProgress,
  pickProgress,
  PROGRESS_FIELDS,
  progressDifferences,
  type ProgressChange,
  type ProgressFields,
} from './fields.ts'

/** Change of the progress in a work. */
export type ProgressWrite = {
  work: { workId: number; kind: WorkKind }
  stored: ProgressFields | undefined
  change: ProgressChange
}

/** Change that was stored, for the history. */
type WrittenProgress = {
  work_id: number
  kind: WorkKind
  fields: ReturnType<typeof progressDifferences>
  /** Whether labels were omitted because the user has too many different ones. */
  lacksLabels: boolean
}

/**
 * Saves progress of the user `$1` in several works. Keeps labels only as long as the user has at most 50 different ones,
 * counting those of all other works first (decision 0049). The lock on the user's row makes this exact.
 */
const SAVE = statement('ratings.progress_save').returning<{ work_id: number; labels: string[] }>(`
  with sent as materialized (
    select sent.*
    from jsonb_to_recordset($2::jsonb) as sent(
      work_id bigint, kind text, started_on text, finished_on text, volumes_read integer, chapters_read integer,
      times_finished integer, rereads jsonb, private_note text, labels jsonb, minutes integer
    )
  ),
  wanted as materialized (
    select sent.work_id, label.name, label.place
    from sent
    cross join jsonb_array_elements_text(sent.labels) with ordinality label (name, place)
  ),
  used as materialized (
    select distinct label.name
    from progress
    cross join jsonb_array_elements_text(progress.labels) label (name)
    where progress.account_id = $1
      and progress.labels <> '[]'
      and progress.work_id not in (select sent.work_id from sent)
  ),
  added as (
    select wanted.name
    from wanted
    left join used on used.name = wanted.name
    where used.name is null
    group by wanted.name
    order by min(wanted.work_id), min(wanted.place), wanted.name collate "C"
    limit (select greatest(0, ${MAX_LABELS} - count(*)) from used)
  ),
  fitting as (select used.name from used union all select added.name from added),
  labeled as (
    select wanted.work_id, jsonb_agg(wanted.name order by wanted.place) as labels
    from wanted
    join fitting on fitting.name = wanted.name
    group by wanted.work_id
  )
  insert into progress (account_id, work_id, kind, ${PROGRESS_FIELDS.join(', ')}, updated_at)
  select
    $1::bigint, sent.work_id, sent.kind,
    ${PROGRESS_FIELDS.map((field) =>
      field === 'labels' ? `coalesce(labeled.labels, '[]')` : `sent.${field}`,
    ).join(', ')},
    clock_timestamp()
  from sent
  left join labeled on labeled.work_id = sent.work_id
  order by sent.work_id
  on conflict (account_id, work_id) do update set
    ${PROGRESS_FIELDS.map((field) => `${field} = excluded.${field}`).join(', ')},
    updated_at = later_time(excluded.updated_at, progress.updated_at)
  returning work_id, labels`)

const DELETE = statement('ratings.progress_delete').sql(
  'delete from progress where account_id = $1 and work_id = any($2::bigint[])',
)

/** Deletes the notes that undoing a merge would restore, for works whose note the user has changed or deleted. */
const FORGET_NOTES = statement('ratings.progress_forget_notes').sql(`
  update merged_progress
  set
    from_progress = from_progress || '{"private_note": ""}',
    into_progress = into_progress || '{"private_note": ""}',
    left_progress = left_progress || '{"private_note": ""}'
  where account_id = $1 and (left_progress -> 'work_id')::bigint = any($2::bigint[])`)

/**
 * Changes the progress in several works. Progress with only defaults is deleted. Labels beyond the maximum per user are
 * omitted.
 *
 * @param trx transaction that has locked the user's data
 * @returns the stored changes; works whose progress stays the same are omitted
 */
export async function writeProgress(
  trx: Database,
  accountId: number,
  writes: ProgressWrite[],
): Promise<WrittenProgress[]> {
  const rows = writes.map(({ work, stored, change }) => ({
    ...BLANK_PROGRESS,
    ...pickProgress({ ...stored, ...change }),
    work_id: work.workId,
    kind: work.kind,
  }))
  const kept = rows.filter((row) => !isBlankProgress(row))
  const saved = kept.length > 0 ? await queryRows(trx, SAVE, [accountId, JSON.stringify(kept)]) : []
  const labelsOf = new Map(saved.map((row) => [row.work_id, row.labels]))
  const labelsIn = (workId: number) => labelsOf.get(workId) ?? []
  const blank = rows.filter((row) => isBlankProgress({ ...row, labels: labelsIn(row.work_id) }))
  await forWorks(blank, (ids) => queryRows(trx, DELETE, [accountId, ids]))
  const unnoted = rows.filter(
    (row, index) => row.private_note !== (writes[index]?.stored?.private_note ?? ''),
  )
  await forWorks(unnoted, (ids) => queryRows(trx, FORGET_NOTES, [accountId, ids]))
  return writes.flatMap(({ work: { workId, kind }, stored, change }) => {
    const labels = labelsIn(workId)
    const fields = progressDifferences(stored ?? { ...BLANK_PROGRESS }, { ...change, labels })
    const lacksLabels = labels.length < (change.labels ?? labels).length
    return Object.keys(fields).length > 0 || lacksLabels
      ? [{ work_id: workId, kind, fields, lacksLabels }]
      : []
  })
}

async function forWorks(
  rows: { work_id: number }[],
  run: (ids: number[]) => Promise<unknown>,
): Promise<void> {
  if (rows.length > 0) await run(rows.map((row) => row.work_id))
}
