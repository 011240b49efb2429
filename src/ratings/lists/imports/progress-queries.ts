import { isForeignKeyViolation } from '../../../db/constraint-errors.ts'
import type { Database } from '../../../db/database.ts'
import { queryRows } from '../../../db/query.ts'
import { statement } from '../../../db/statement.ts'
import { catalogChanged } from '../../../http/wire/errors/feature-refusals.ts'
import {
  BLANK_PROGRESS,
  PROGRESS_FIELDS,
  progressDifferences,
  type ProgressChange,
  type ProgressFields,
} from '../../progress/fields.ts'
import type { MatchedWork } from './import-queries.ts'

/** Change of the progress in a work. */
export type ProgressWrite = {
  work: MatchedWork
  stored: ProgressFields | undefined
  change: ProgressChange
}

const SAVE = statement('ratings.progress_save_all').sql(`
  insert into progress (account_id, work_id, kind, ${PROGRESS_FIELDS.join(', ')}, updated_at)
  select $1::bigint, sent.work_id, sent.kind, ${PROGRESS_FIELDS.map((field) => `sent.${field}`).join(', ')}, clock_timestamp()
  from jsonb_to_recordset($2::jsonb) as sent(
    work_id bigint, kind text, started_on text, finished_on text, volumes_read integer, chapters_read integer,
    times_finished integer, rereads jsonb, private_note text, labels jsonb, minutes integer
  )
  order by sent.work_id
  on conflict (account_id, work_id) do update set
    ${PROGRESS_FIELDS.map((field) => `${field} = excluded.${field}`).join(', ')},
    updated_at = later_time(excluded.updated_at, progress.updated_at)`)

const DELETE = statement('ratings.progress_delete_all').sql(
  'delete from progress where account_id = $1 and work_id = any($2::bigint[])',
)

/**
 * Adds progress to the rating changes after `$3`, so that both are undone together. Records progress of other works as
 * separate changes.
 */
const NOTE = statement('ratings.progress_note_all').sql(`
  with sent as materialized (
    select sent.work_id, sent.kind, sent.fields
    from jsonb_to_recordset($2::jsonb) as sent(work_id bigint, kind text, fields jsonb)
  ),
  joined as (
    update rating_changes change set fields = change.fields || sent.fields
    from sent
    where change.account_id = $1 and change.id > $3 and change.work_id = sent.work_id
    returning change.work_id
  )
  insert into rating_changes (account_id, work_id, kind, action, client_id, fields)
  select $1::bigint, sent.work_id, sent.kind, 'CHANGED', $4, sent.fields
  from sent
  where not exists (select from joined where joined.work_id = sent.work_id)
  order by sent.work_id`)

/**
 * Changes the progress in several works and records the changes.
 *
 * @param trx transaction that has locked the user's data
 * @param clientId app to store in the history; null if the user imports on a page of the site
 * @param after id of the latest change before the transaction wrote ratings
 * @throws {ApiError} `COMMON_CONFLICT` if a work has been deleted in the meantime
 */
export async function saveProgressRows(
  trx: Database,
  accountId: number,
  clientId: string | null,
  { writes, after }: { writes: ProgressWrite[]; after: number },
): Promise<void> {
  const rows = writes.map(({ work, stored, change }) => ({
    ...BLANK_PROGRESS,
    ...stored,
    ...change,
    work_id: work.workId,
    kind: work.kind,
  }))
  const isBlank = (row: ProgressFields) =>
    Object.keys(progressDifferences({ ...BLANK_PROGRESS }, row)).length === 0
  const notes = writes.map(({ work, stored, change }) => ({
    work_id: work.workId,
    kind: work.kind,
    fields: progressDifferences(stored ?? { ...BLANK_PROGRESS }, change),
  }))
  try {
    const kept = rows.filter((row) => !isBlank(row))
    await queryRows(trx, SAVE, [accountId, JSON.stringify(kept)])
    await queryRows(trx, DELETE, [accountId, rows.filter(isBlank).map((row) => row.work_id)])
    await queryRows(trx, NOTE, [accountId, JSON.stringify(notes), after, clientId])
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    throw catalogChanged(error)
  }
}
