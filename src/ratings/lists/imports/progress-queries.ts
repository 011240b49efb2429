import { isForeignKeyViolation } from '../../../db/constraint-errors.ts'
import type { Database } from '../../../db/database.ts'
import { queryRows } from '../../../db/query.ts'
import { statement } from '../../../db/statement.ts'
import { catalogChanged } from '../../../http/wire/errors/feature-refusals.ts'
import { writeProgress, type ProgressWrite } from '../../progress/write-queries.ts'

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
 * Changes the progress in several works and records the changes. Labels beyond the maximum per user are omitted.
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
  try {
    const notes = await writeProgress(trx, accountId, writes)
    await queryRows(trx, NOTE, [accountId, JSON.stringify(notes), after, clientId])
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    throw catalogChanged(error)
  }
}
