import type { EventKind } from '../audit/events.ts'
import type { Database } from '../db/database.ts'

/**
 * Returns the generation of what the events create: the ID of the last such event, or 0. It changes with each creation,
 * and deletions do not restore an earlier one. Forms that create a secret submit the generation that they were loaded
 * with. It is stale once the secret exists, so that a repeated request or a reload of the page with the secret creates
 * no second one.
 *
 * @param kinds events that start another generation
 * @param accountId account that the events are about; undefined for events of the whole site
 */
export async function generationOf(
  db: Database,
  kinds: readonly EventKind[],
  accountId?: number,
): Promise<number> {
  const last = await db
    .selectFrom('audit_events')
    .select(({ fn }) => fn.max('id').as('id'))
    .where('kind', 'in', kinds)
    .$if(accountId !== undefined, (events) => events.where('account_id', '=', accountId ?? 0))
    .executeTakeFirst()
  return last?.id ?? 0
}

/**
 * Whether a form must be refused with 409, because it was loaded in an earlier generation.
 *
 * @param current read in the transaction that writes, under a lock that other writers wait for
 * @param submitted `submittedGeneration`
 */
export const isStaleForm = (current: number, submitted: string): boolean =>
  submitted !== String(current)
