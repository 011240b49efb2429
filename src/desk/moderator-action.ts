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
import { deskViewer } from './guard.ts'

const MAX_REASON = 1_000

/** Form field that marks an undo of the previous action. */
export const UNDO_FIELD = 'undo'

/**
 * Returns the moderator's reason for an action.
 *
 * @throws {PageError} 422 if it is missing or too long
 */
export function readReason(request: FastifyRequest): string {
  const note = sanitizeNote(fieldOf(request, 'note'))
  if (note === '' || note.length > MAX_REASON)
    throw new PageError(422, undefined, request.page.messages.desk.whyMissing)
  return note
}

/**
 * Reason for an action, which may be empty for an undo. `authorize` runs in the transaction of the action, with the
 * stored values of the fields the form showed.
 */
export type ActionReason = {
  reason: string
  authorize?: (trx: Database, stored?: FormValues) => Promise<void>
}

/** Whether a form undoes an action without giving a reason. */
export const isUnexplainedUndo = (request: FastifyRequest): boolean =>
  fieldOf(request, UNDO_FIELD) === 'yes' && sanitizeNote(fieldOf(request, 'note')) === ''

/**
 * Returns the reason for an action that may be an undo. An undo needs no reason if the audit log shows that the
 * previous action on the subject was the actor's own.
 *
 * @param on selects the logged actions on the same subject
 * @param undoneAction the action to undo
 * @param sent submitted values, which replace those that the form showed
 * @throws {PageError} 422 if there is neither a reason nor an action to undo; `authorize` may also throw it
 * @throws {FormConflict} from `authorize`, if the stored values differ from those the form showed
 */
export function readActionReason(
  request: FastifyRequest,
  on: ActionFilter,
  undoneAction: UndoneAction,
  sent: FormValues = {},
): ActionReason {
  const reason = isUnexplainedUndo(request) ? '' : readReason(request)
  if (fieldOf(request, UNDO_FIELD) === 'yes')
    return {
      reason,
      async authorize(trx) {
        await requireOwnLastAction(request, trx, on, undoneAction)
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
 * Returns the logged details of the action to undo, which must be the last one on its subject and the actor's own.
 *
 * @throws {PageError} 422 if it is not
 */
export const requireOwnLastAction = async (
  request: FastifyRequest,
  trx: Database,
  on: ActionFilter,
  undoneAction: UndoneAction,
): Promise<Record<string, unknown>> =>
  (await findOwnLastAction(trx, on, undoneAction, actorOf(request).actorId)) ??
  refuseUnexplained(request)

/** @throws {PageError} 422 because the actor has no action to undo and gave no reason */
export function refuseUnexplained({ page }: FastifyRequest): never {
  throw new PageError(422, undefined, page.messages.desk.nothingToUndo)
}

/** Renders a notice that the values of a form were changed in the meantime, with the current values. */
export const changedMeanwhile = (
  { page: { messages } }: FastifyRequest,
  conflict: FormConflict,
  describe: (name: string, value: unknown) => { label: string; value: string },
): Html => conflictNotice(messages, conflict, describe, messages.desk.changedMeanwhile)

/** Returns a request's actor and origin for the audit log. */
export const actorOf = (request: FastifyRequest): Origin => ({
  actorId: deskViewer(request).accountId,
  address: request.ip,
  userAgent: request.headers['user-agent'],
})

/** @throws {PageError} 409 if the subject belongs to the actor */
export function refuseOwn(
  request: FastifyRequest,
  { owner_id: ownerId }: { owner_id: number | null },
): void {
  if (ownerId === deskViewer(request).accountId)
    refuseAction(request.page.messages.desk.queue.ownThing)
}

/** @throws {PageError} 409 with the given message */
export function refuseAction(text: string): never {
  throw new PageError(409, undefined, text)
}
