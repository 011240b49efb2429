import { isSameEmail } from '../../../accounts/email-address.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { finishEmailChange } from '../../../accounts/mail/finish-links.ts'
import { requestEmailChange } from '../../../accounts/mail/mail-requests.ts'
import { findLink } from '../../../accounts/mail/link-queries.ts'
import { checkChosenEmail } from '../../../accounts/profile/profile-rules.ts'
import { isAcceptedDomain } from '../../../config/mail-domain.ts'
import { PageError } from '../../../ui/page/errors.ts'
import { fieldOf, queryParameterOf } from '../../../ui/forms/form-field.ts'
import { confirmEmailView, emailView, type EmailData } from '../../views/account/email.ts'
import { refuseWithRetryAfter, wholeMinutes } from '../sign-in/retry-after.ts'
import { checkCurrentPassword } from './security/current-password.ts'
import {
  ACCOUNT_PAGE,
  changeContext,
  redirectWithAccountNotice,
  sendAccountPage,
  type AccountOptions,
} from './account-page.ts'

/** `/account/email`: sends a link to a new email address, which takes effect when the link is followed. */
export async function emailRoutes(app: FastifyInstance, options: AccountOptions) {
  const { db, wakeOutbox, localOutbox, ownerOf, signUpMailDomains: mailDomains } = options

  app.get('/account/email', ACCOUNT_PAGE, async (request, reply) =>
    show(request, reply, { entered: '', errors: {} }),
  )

  app.post('/account/email', ACCOUNT_PAGE, async (request, reply) => {
    const { account } = ownerOf(request)
    const { accountFaults, accountEmail } = request.page.messages
    const entered = fieldOf(request, 'email')
    const refused = await checkCurrentPassword(options, request, reply, account)
    const checked = checkChosenEmail(entered, mailDomains)
    const isSame = !checked.fault && isSameEmail(checked.value, account.email)
    if (refused || checked.fault || isSame) {
      const errors = {
        ...(refused && { current_password: refused.error }),
        ...(checked.fault && { email: accountFaults[checked.fault.code] }),
        ...(isSame && { email: accountFaults.email_same }),
      }
      return show(request, reply, { entered, errors }, refused?.status ?? 422)
    }
    const result = await requestEmailChange(db, {
      accountId: account.id,
      email: checked.value,
      ...changeContext(request),
    })
    if (result.outcome === 'wait') {
      const text = accountEmail.tooMany({ minutes: wholeMinutes(result.seconds) })
      const { status, error } = refuseWithRetryAfter(reply, result.seconds, text)
      return show(request, reply, { entered, errors: { email: error } }, status)
    }
    wakeOutbox()
    return redirectWithAccountNotice(reply, '/account/email', 'email_sent')
  })

  app.get('/account/email/confirm', ACCOUNT_PAGE, async (request, reply) => {
    const token = queryParameterOf(request, 'token')
    const { email } = await requireLink(request, token)
    return sendAccountPage(request, reply, confirmEmailView(request.page, { token, email }))
  })

  app.post('/account/email/confirm', ACCOUNT_PAGE, async (request, reply) => {
    const token = fieldOf(request, 'token')
    const link = await requireLink(request, token)
    // The setting may have changed since the link was requested.
    if (!isAcceptedDomain(link.email, mailDomains))
      throw new PageError(422, undefined, request.page.messages.accountFaults.email_domain)
    const outcome = await finishEmailChange(db, link, changeContext(request))
    if (outcome === 'gone') throw badLink(request)
    if (outcome === 'taken')
      throw new PageError(409, undefined, request.page.messages.accountEmail.taken)
    wakeOutbox()
    return redirectWithAccountNotice(reply, '/account/email', 'email_changed')
  })

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    data: Pick<EmailData, 'entered' | 'errors'>,
    status = 200,
  ) {
    const current = ownerOf(request).account.email
    const view = emailView(request.page, { ...data, current, localOutbox, mailDomains })
    return sendAccountPage(request, reply, view, status)
  }

  /** Returns the link if it is for the signed-in account. A link for another account stays unused. */
  async function requireLink(request: FastifyRequest, token: string) {
    const link = await findLink(db, token, 'change_email')
    if (!link || link.account_id !== ownerOf(request).account.id) throw badLink(request)
    return link
  }
}

function badLink({ page }: FastifyRequest) {
  const { badLinkTitle, badLink } = page.messages.accountEmail
  return new PageError(410, badLinkTitle, badLink)
}
