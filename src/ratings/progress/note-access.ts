import type { FastifyRequest } from 'fastify'
import { callerOf } from '../../http/admission/access.ts'

/** Scope of tokens that may read and write private notes, in addition to the scope of the route (decision 0049). */
export const NOTES_SCOPE = 'status:notes'

/** Whether the caller may read and write the user's private notes. */
export const mayUseNotes = (request: FastifyRequest): boolean =>
  callerOf(request).scopes.has(NOTES_SCOPE)

/** Omits the private note from progress, or its change from an entry of the history. */
export const withoutNote = <Fields extends { private_note?: unknown }>({
  private_note: _note,
  ...others
}: Fields): Omit<Fields, 'private_note'> => others
