import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createFeedSecret, feedState, turnOffFeeds } from '../../../accounts/private-feeds.ts'
import { originOf } from '../../../audit/origin-of.ts'
import { submittedGeneration } from '../../../ui/forms/form-field.ts'
import { feedsView, newFeedsView, type FeedErrors } from '../../views/account/feeds.ts'
import { checkCurrentPassword } from './security/current-password.ts'
import {
  ACCOUNT_PAGE,
  changeContext,
  redirectWithAccountNotice,
  sendAccountPage,
  type AccountOptions,
} from './account-page.ts'

const PATH = '/account/feeds'

/** `/account/feeds`: creates, replaces and turns off the addresses of private feeds. */
export async function accountFeedRoutes(app: FastifyInstance, options: AccountOptions) {
  const { db, wakeOutbox, ownerOf } = options

  app.get(PATH, ACCOUNT_PAGE, async (request, reply) => show(request, reply))

  app.post(PATH, ACCOUNT_PAGE, async (request, reply) => {
    const { account, session } = ownerOf(request)
    const refused = await checkCurrentPassword(options, request, reply, account)
    if (refused) return show(request, reply, refused.status, { current_password: refused.error })
    const form = { generation: submittedGeneration(request), session: session.uid }
    const secret = await createFeedSecret(db, account.id, form, changeContext(request))
    if (secret === undefined)
      return show(request, reply, 409, { form: request.page.messages.accountFeeds.createdBefore })
    wakeOutbox()
    return sendAccountPage(request, reply, newFeedsView(request.page, secret))
  })

  app.post(`${PATH}/off`, ACCOUNT_PAGE, async (request, reply) => {
    const isDone = await turnOffFeeds(db, ownerOf(request).account.id, originOf(request))
    return isDone ? redirectWithAccountNotice(reply, PATH, 'feeds_off') : reply.redirect(PATH, 303)
  })

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    status = 200,
    errors: FeedErrors = {},
  ) {
    const state = await feedState(db, ownerOf(request).account.id)
    return sendAccountPage(request, reply, feedsView(request.page, state, errors), status)
  }
}
