import type { FastifyRequest } from 'fastify'
import { recordEvent, type NewEvent } from '../../audit/events.ts'
import type { Database } from '../../db/database.ts'
import { EditError } from '../../importers/editing/edit-field.ts'
import { MergeError } from '../../importers/merging/merge-error.ts'
import { ImportBusy } from '../../importers/runs/import-lock.ts'
import { actorOf, refuseAct } from './act.ts'

/** Records who changed entries, in the transaction that changes them. */
export const audited =
  <Result>(
    request: FastifyRequest,
    kind: NewEvent['kind'],
    detailsOf: (result: Result) => NonNullable<NewEvent['details']>,
  ) =>
  (trx: Database, result: Result) =>
    recordEvent(trx, { kind, ...actorOf(request), details: detailsOf(result) })

/** What the rules of entries refuse is shown in their words. */
export async function explainRefusal<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (error instanceof MergeError || error instanceof EditError || error instanceof ImportBusy)
      refuseAct(error.message)
    throw error
  }
}
