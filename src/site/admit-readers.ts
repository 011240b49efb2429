import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  discardDraft,
  isRestored,
  saveDraftAndSignIn,
  canSaveDraft,
} from '../accounts/form-drafts.ts'
import type { Database } from '../db/database.ts'
import { signInFirst } from '../ui/forms/way-back.ts'

/**
 * Redirects anonymous requests of this scope to the sign-in, and back afterwards. Bodies are not read, except forms whose text
 * must survive the sign-in.
 *
 * @param start where the sign-in leads after a form that was not kept
 * @returns the account of a request
 */
export function admitReaders(
  app: FastifyInstance,
  db: Database,
  start: string,
): (request: FastifyRequest) => number {
  app.addHook('onRequest', async (request, reply) => {
    if (!request.page.reader && !canSaveDraft(request)) return signInFirst(request, reply, start)
  })
  app.addHook('preHandler', async (request, reply) => {
    if (!request.page.reader) return saveDraftAndSignIn(db, request, reply, start)
    if (isRestored(request)) await discardDraft(db, request, reply)
  })
  return ({ page, url }) => {
    if (!page.reader) throw new Error(`${url} asked for its reader and has no guard`)
    return page.reader.accountId
  }
}
