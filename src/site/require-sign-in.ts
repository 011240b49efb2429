import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  discardDraft,
  isRestored,
  saveDraftAndSignIn,
  canSaveDraft,
} from '../accounts/form-drafts.ts'
import type { Database } from '../db/database.ts'
import { redirectToSignIn } from '../ui/forms/return-path.ts'

/**
 * Redirects guests in this scope to the sign-in page, which leads back afterwards. Form submissions are dropped,
 * unless the route saves them as drafts. Requests of scripts get status 401 instead, because a script cannot tell this
 * redirect from the one that confirms a change.
 *
 * @param start path to continue at after the sign-in if a form submission was dropped
 * @returns a function that returns a request's account
 */
export function requireSignIn(
  app: FastifyInstance,
  db: Database,
  start: string,
): (request: FastifyRequest) => number {
  app.addHook('onRequest', async (request, reply) => {
    if (request.page.viewer) return
    if (request.headers['x-requested-with'] === 'fetch')
      return reply.header('cache-control', 'no-store').status(401).send()
    if (!canSaveDraft(request)) return redirectToSignIn(request, reply, start)
  })
  app.addHook('preHandler', async (request, reply) => {
    if (!request.page.viewer) return saveDraftAndSignIn(db, request, reply, start)
    if (isRestored(request)) await discardDraft(db, request, reply)
  })
  return ({ page, url }) => {
    if (!page.viewer) throw new Error(`${url} is outside the scope of requireSignIn`)
    return page.viewer.accountId
  }
}
