import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { deleteAccount, deletionTimeOf } from '../../../accounts/deletion-queries.ts'
import { originOf } from '../../../audit/origin-of.ts'
import { fieldOf } from '../../../ui/forms/form-field.ts'
import { sendPage } from '../../../ui/page/send-page.ts'
import { waitingAccountView } from '../../views/sign-up/waiting-account.ts'
import { findWaitingApp, interactionOf, withInteraction } from '../interaction.ts'
import { PUBLIC_PAGE, type BrowserOptions } from '../options.ts'
import { PendingSignIn } from './pending-sign-in.ts'

/**
 * `/sign-in/waiting`: the only page for owners of accounts that wait for approval or were declined. They have no session,
 * so no other page, app or API accepts them.
 */
export async function waitingAccountRoutes(app: FastifyInstance, options: BrowserOptions) {
  const { db, identity, authUrl, contact } = options
  const pending = new PendingSignIn('approval', authUrl)

  app.get('/sign-in/waiting', PUBLIC_PAGE, async (request, reply) => {
    const account = await findPending(request)
    if (!account) return backToSignIn(request, reply)
    const interaction = interactionOf(request)
    const view = waitingAccountView(request.page, {
      name: account.name,
      email: account.email,
      declined: account.declined_at
        ? { reason: account.decline_reason ?? '', until: deletionTimeOf(account.declined_at) }
        : undefined,
      contact,
      interaction,
      appName: (await findWaitingApp(identity, interaction))?.appName,
    })
    return sendPage(request, reply, view)
  })

  app.post('/sign-in/waiting', PUBLIC_PAGE, async (request, reply) => {
    const account = await findPending(request)
    if (!account || fieldOf(request, 'decision') !== 'delete') return backToSignIn(request, reply)
    pending.end(reply)
    // False if the account was approved or deleted in the meantime.
    const isDeleted = await deleteAccount(db, account.id, originOf(request), { only: 'waiting' })
    return isDeleted ? reply.redirect('/signed-out', 303) : backToSignIn(request, reply)
  })

  async function findPending(request: FastifyRequest) {
    const account = (await pending.find(db, request))?.account
    return account?.approval_requested_at ? account : undefined
  }

  const backToSignIn = (request: FastifyRequest, reply: FastifyReply) =>
    reply.redirect(withInteraction('/sign-in', interactionOf(request)), 303)
}
