import type { FastifyInstance, FastifyRequest } from 'fastify'
import { cancelDeletion, deletionTimeOf } from '../../../accounts/deletion-queries.ts'
import { findAccount } from '../../../accounts/queries.ts'
import { originOf } from '../../../audit/origin-of.ts'
import { fieldOf } from '../../../ui/forms/form-field.ts'
import { sendPage } from '../../../ui/page/send-page.ts'
import { keepAccountView } from '../../views/account/deletion.ts'
import { interactionOf, withInteraction } from '../interaction.ts'
import { PUBLIC_PAGE, type BrowserOptions } from '../options.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { PendingSignIn } from './pending-sign-in.ts'

/** `/sign-in/keep`: lets the owner of an account that is scheduled for deletion keep it. */
export async function keepAccountRoutes(app: FastifyInstance, options: BrowserOptions) {
  const { db, authUrl } = options
  const pending = new PendingSignIn('keep-account', authUrl)

  app.get('/sign-in/keep', PUBLIC_PAGE, async (request, reply) => {
    const interaction = interactionOf(request)
    const found = await findPending(request)
    if (!found) return reply.redirect(withInteraction('/sign-in', interaction), 303)
    const { account, requestedAt } = found
    const action = withInteraction('/sign-in/keep', interaction)
    const data = { action, name: account.name, until: deletionTimeOf(requestedAt) }
    return sendPage(request, reply, keepAccountView(request.page, data))
  })

  app.post('/sign-in/keep', PUBLIC_PAGE, async (request, reply) => {
    const found = await findPending(request)
    pending.end(reply)
    const interaction = interactionOf(request)
    if (!found) return reply.redirect(withInteraction('/sign-in', interaction), 303)
    if (fieldOf(request, 'decision') !== 'keep') return reply.redirect('/signed-out', 303)
    // False if the account was deleted, or its deletion cancelled in another browser, in the meantime.
    if (!(await cancelDeletion(db, found.account.id, originOf(request))))
      return reply.redirect(withInteraction('/sign-in', interaction), 303)
    const account = await findAccount(db, found.account.id)
    if (!account) return reply.redirect('/sign-in', 303)
    return completeSignIn(options, request, reply, { account, methods: found.methods, interaction })
  })

  async function findPending(request: FastifyRequest) {
    const found = await pending.find(db, request)
    const requestedAt = found?.account.deletion_requested_at
    return found && requestedAt ? { ...found, requestedAt } : undefined
  }
}
