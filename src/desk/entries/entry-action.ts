import type { FastifyRequest } from 'fastify'
import { recordEvent, type NewEvent } from '../../audit/events.ts'
import type { Database } from '../../db/database.ts'
import { EntryRefusedError } from '../../curation/merge/entry-refusal.ts'
import { ImportBusyError } from '../../curation/runs/import-lock.ts'
import { actorOf, refuseAction, type ActionReason } from '../moderator-action.ts'
import { explainEntryRefusal } from './explain-entry.ts'

/** Records the actor and reason of a change to entries in the same transaction. Does nothing if nothing changed. */
export const withAuditEvent =
  <Result extends object>(
    request: FastifyRequest,
    kind: NewEvent['kind'],
    { reason, authorize }: ActionReason,
    detailsOf: (result: Result) => NonNullable<NewEvent['details']>,
  ) =>
  async (trx: Database, result: Result) => {
    if ('done' in result && result.done === false) return
    await authorize?.(trx)
    await recordEvent(trx, { kind, ...actorOf(request), details: { ...detailsOf(result), reason } })
  }

/** Converts violations of the entry rules into messages in the viewer's language. */
export async function explainRefusal<Result>(
  request: FastifyRequest,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ImportBusyError) refuseAction(request.page.messages.desk.importRunning)
    if (error instanceof EntryRefusedError)
      refuseAction(explainEntryRefusal(request.page, error.refusal))
    throw error
  }
}
