import type { EventKind } from '../audit/events.ts'
import type { Database } from '../db/database.ts'

/**
 * Returns the ID of the last event of the given kinds, or 0 ("generation"). It changes with each such event, but not
 * when a secret is deleted. It returns to 0 if the audit log no longer has such an event. A form that creates a secret
 * submits the generation it was loaded with, and is stale after the next event. A repeated request, or a reload of the
 * page with the secret, therefore creates no second one.
 *
 * @param kinds kinds of events that begin a new generation
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
 * True if a form was loaded in an earlier generation and must be refused with 409.
 *
 * @param current read in the writing transaction under a lock that all writers take, or checked again by the write
 * @param submitted `submittedGeneration`
 */
export const isStaleForm = (current: number, submitted: string): boolean =>
  submitted !== String(current)
