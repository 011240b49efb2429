import type { FastifyRequest } from 'fastify'
import type { Origin } from '../../audit/events.ts'
import { plainNote } from '../../moderation/reasons.ts'
import { PageError } from '../../pages/errors.ts'
import { fieldOf } from '../../pages/form-field.ts'
import { deskReader } from './guard.ts'

const MAX_REASON = 1_000

/** The field of a form that takes back the act before. */
export const UNDO = 'undo'

/** Why somebody acts. @throws {PageError} 422 when they do not say */
export function reasonOf(request: FastifyRequest): string {
  const note = plainNote(fieldOf(request, 'note'))
  if (note === '' || note.length > MAX_REASON)
    throw new PageError(422, undefined, request.page.messages.desk.whyMissing)
  return note
}

/** The same of an act that may take back another: that is reason enough, and empty then. */
export const reasonOrUndone = (request: FastifyRequest): string =>
  fieldOf(request, UNDO) === 'yes' && plainNote(fieldOf(request, 'note')) === '' ? '' : reasonOf(request)

/** Who acts and from where, for the audit log. */
export const actorOf = (request: FastifyRequest): Origin => ({
  actorId: deskReader(request).accountId,
  address: request.ip,
  userAgent: request.headers['user-agent'],
})

/** @throws {PageError} 409 when it is about what is their own */
export function refuseOwn(request: FastifyRequest, { owner_id: ownerId }: { owner_id: number | null }): void {
  if (ownerId === deskReader(request).accountId) refuseAct(request.page.messages.desk.queue.ownThing)
}

/** @throws {PageError} 409 in words of the desk: it cannot be done as things are */
export function refuseAct(text: string): never {
  throw new PageError(409, undefined, text)
}
