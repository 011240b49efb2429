import type { FastifyInstance, FastifyRequest } from 'fastify'
import { cancelDeletion, deletionDay } from '../../../accounts/deletion-queries.ts'
import { findAccount } from '../../../accounts/queries.ts'
import { fieldOf } from '../../../ui/forms/form-field.ts'
import { sendPage } from '../../../ui/page/send-page.ts'
import { keepAccountView } from '../../views/sign-up/keep-account.ts'
import { originOf } from '../../../audit/origin-of.ts'
import { completeSignIn, cookieOptions } from '../sign-in/complete-sign-in.ts'
import { interactionOf, withInteraction } from '../interaction-id.ts'
import { KeepAccount } from './keep-account.ts'
import type { BrowserOptions } from '../options.ts'

/** `/sign-in/keep`: somebody has signed in whose account is to be deleted, and may keep it. */
export async function keepRoutes(app: FastifyInstance, options: BrowserOptions) {
  const { db, authUrl } = options
  const common = { config: { access: 'public' }, schema: { hide: true } } as const
  const keeping = new KeepAccount(cookieOptions(authUrl))

  app.get('/sign-in/keep', common, async (request, reply) => {
    const found = await findKeeping(request)
    if (!found) return reply.redirect(withInteraction('/sign-in', interactionOf(request)), 303)
    return sendPage(
      request,
      reply,
      keepAccountView(request.page, {
        action: withInteraction('/sign-in/keep', interactionOf(request)),
        name: found.account.name,
        until: deletionDay(found.requestedAt),
      }),
    )
  })

  app.post('/sign-in/keep', common, async (request, reply) => {
    const found = await findKeeping(request)
    keeping.end(reply)
    const interaction = interactionOf(request)
    if (!found) return reply.redirect(withInteraction('/sign-in', interaction), 303)
    if (fieldOf(request, 'decision') !== 'keep') return reply.redirect('/signed-out', 303)
    // False: it was deleted, or kept in another browser, a moment ago.
    if (!(await cancelDeletion(db, found.account.id, originOf(request))))
      return reply.redirect(withInteraction('/sign-in', interaction), 303)
    const account = await findAccount(db, found.account.id)
    if (!account) return reply.redirect('/sign-in', 303)
    return completeSignIn(options, request, reply, { account, methods: found.methods, interaction })
  })

  async function findKeeping(request: FastifyRequest) {
    const proved = keeping.read(request)
    if (!proved) return undefined
    const account = await findAccount(db, proved.accountId)
    if (!account?.deletion_requested_at || account.banned_at) return undefined
    if (account.updated_at.getTime() !== proved.updatedAt) return undefined
    return { account, requestedAt: account.deletion_requested_at, methods: proved.methods }
  }
}
