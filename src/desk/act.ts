import type { FastifyRequest } from 'fastify'
import type { Origin } from '../audit/events.ts'
import { findOwnLastAction, type ActionFilter, type UndoneAction } from '../audit/undo-queries.ts'
import type { Database } from '../db/database.ts'
import { sanitizeNote } from '../moderation/reasons.ts'
import { PageError } from '../ui/page/errors.ts'
import { fieldOf } from '../ui/forms/form-field.ts'
import {
  conflictNotice,
  rejectStale,
  type FormConflict,
  type FormValues,
} from '../ui/forms/form-state.ts'
import type { Html } from '../ui/html.ts'
import { deskReader } from './guard.ts'

const MAX_REASON = 1_000

/** The field of a form that takes back the act before. */
export const UNDO = 'undo'

/** Why somebody acts. @throws {PageError} 422 when they do not say */
export function reasonOf(request: FastifyRequest): string {
  const note = sanitizeNote(fieldOf(request, 'note'))
  if (note === '' || note.length > MAX_REASON)
    throw new PageError(422, undefined, request.page.messages.desk.whyMissing)
  return note
}

/**
 * Why somebody acts; the reason may be empty when they take back an act. `authorize` is asked in the transaction that acts, with the
 * stored values that the form showed.
 */
export type Why = {
  reason: string
  authorize?: (trx: Database, stored?: FormValues) => Promise<void>
}

/** Whether a form says that it takes an act back, and nothing else. */
export const isUnexplainedUndo = (request: FastifyRequest): boolean =>
  fieldOf(request, UNDO) === 'yes' && sanitizeNote(fieldOf(request, 'note')) === ''

/**
 * Why somebody acts, where it may be because they take back what they themselves did a moment ago: the log says whether they did,
 * and that nothing was done since.
 *
 * @param on what else may have been done to the same thing
 * @param taken the act that this takes back
 * @param sent values of the form that overwrite those it showed
 * @throws {PageError} 422 when they do not say, from `authorize` too
 * @throws {FormConflict} from `authorize`, if the stored values are no longer those the form showed
 */
export function whyOf(
  request: FastifyRequest,
  on: ActionFilter,
  taken: UndoneAction,
  sent: FormValues = {},
): Why {
  const reason = isUnexplainedUndo(request) ? '' : reasonOf(request)
  if (fieldOf(request, UNDO) === 'yes')
    return {
      reason,
      async authorize(trx) {
        await ownLastAct(request, trx, on, taken)
      },
    }
  if (Object.keys(sent).length === 0) return { reason }
  return {
    reason,
    async authorize(_trx, stored = {}) {
      rejectStale(request, sent, stored)
    },
  }
}

/**
 * What the log says of the act that somebody takes back, which has to be the last on its thing and their own.
 *
 * @throws {PageError} 422 when it is not
 */
export const ownLastAct = async (
  request: FastifyRequest,
  trx: Database,
  on: ActionFilter,
  taken: UndoneAction,
): Promise<Record<string, unknown>> =>
  (await findOwnLastAction(trx, on, taken, actorOf(request).actorId)) ?? refuseUnexplained(request)

/** @throws {PageError} 422: there is nothing of theirs to take back, so it needs a reason */
export function refuseUnexplained({ page }: FastifyRequest): never {
  throw new PageError(422, undefined, page.messages.desk.nothingToUndo)
}

/** Says that the values of a form were changed meanwhile, and which they are now. */
export const changedMeanwhile = (
  { page: { messages } }: FastifyRequest,
  conflict: FormConflict,
  describe: (name: string, value: unknown) => { label: string; value: string },
): Html => conflictNotice(messages, conflict, describe, messages.desk.changedMeanwhile)

/** Who acts and from where, for the audit log. */
export const actorOf = (request: FastifyRequest): Origin => ({
  actorId: deskReader(request).accountId,
  address: request.ip,
  userAgent: request.headers['user-agent'],
})

/** @throws {PageError} 409 when it is about what is their own */
export function refuseOwn(
  request: FastifyRequest,
  { owner_id: ownerId }: { owner_id: number | null },
): void {
  if (ownerId === deskReader(request).accountId)
    refuseAct(request.page.messages.desk.queue.ownThing)
}

/** @throws {PageError} 409 in words of the desk: it cannot be done as things are */
export function refuseAct(text: string): never {
  throw new PageError(409, undefined, text)
}
