import type { FastifyInstance, FastifyRequest } from 'fastify'
import { forgetDraft, isRestored, keepDraft, mayKeepDraft } from '../../accounts/form-drafts.ts'
import type { Database } from '../../db/database.ts'
import { signInFirst } from '../../pages/way-back.ts'

/**
 * Makes every route of this scope one for signed-in readers. A guest is sent to the sign-in before their form is read, unless its
 * text has to survive, and then led back.
 *
 * @param start where a guest is led whose form was not kept
 * @returns gives the account of a request
 */
export function admitReaders(
  app: FastifyInstance,
  db: Database,
  start: string,
): (request: FastifyRequest) => number {
  app.addHook('onRequest', async (request, reply) => {
    if (!request.page.reader && !mayKeepDraft(request)) return signInFirst(request, reply, start)
  })
  app.addHook('preHandler', async (request, reply) => {
    if (!request.page.reader) return keepDraft(db, request, reply, start)
    if (isRestored(request)) await forgetDraft(db, request, reply)
  })
  return ({ page, url }) => {
    if (!page.reader) throw new Error(`${url} asked for its reader and has no guard`)
    return page.reader.accountId
  }
}
