import { isSameEmail } from '../../../accounts/email-address.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { listCredentialsAddedSince } from '../../../accounts/credentials/added-credentials.ts'
import { findLink, type MailLink } from '../../../accounts/mail/link-queries.ts'
import { secureAccount } from '../../../accounts/mail/secure-account.ts'
import { findAccount } from '../../../accounts/queries.ts'
import {
  disableAppsRegisteredSince,
  listAppsChangedSince,
} from '../../../apps/operator/registered-since-queries.ts'
import { PageError } from '../../../ui/page/errors.ts'
import { queryParameterOf } from '../../../ui/forms/form-field.ts'
import { sendPage } from '../../../ui/page/send-page.ts'
import {
  listAppsAllowedSince,
  withdrawConsentsSince,
} from '../../provider/storage/consent-queries.ts'
import { endSessions, type EndedSession } from '../../provider/storage/session-queries.ts'
import { linkGoneView } from '../../views/mail-links.ts'
import { notMeView, emailRestoredView } from '../../views/not-me.ts'
import { originOf } from '../../../audit/origin-of.ts'
import { PUBLIC_PAGE, type BrowserOptions } from '../options.ts'

/**
 * Serves `/not-me`, the page behind the link in emails about changes, for owners who did not make the change. Signs
 * out every session and lets the owner set a new password.
 */
export async function notMeRoutes(
  app: FastifyInstance,
  { db, identity, wakeOutbox }: BrowserOptions,
) {
  // A GET changes nothing, because email scanners follow links.
  app.get('/not-me', PUBLIC_PAGE, async (request, reply) => {
    const token = queryParameterOf(request, 'token')
    const link = await findLink(db, token, 'not_me')
    const data = link && (await findRemovals(link))
    if (!data) return showGone(request, reply)
    // The token was found in the database, so it contains no characters that need encoding.
    return sendPage(request, reply, notMeView(request.page, `/not-me?token=${token}`, data))
  })

  app.post('/not-me', PUBLIC_PAGE, async (request, reply) => {
    const { language, messages } = request.page
    let ended: EndedSession[] = []
    let lockedOutId: number | undefined
    const result = await secureAccount(db, {
      token: queryParameterOf(request, 'token'),
      origin: originOf(request),
      language,
      endAccess: async (trx, accountId, since) => {
        lockedOutId = accountId
        ended = await endSessions(trx, accountId, 'all')
        const allowed = await withdrawConsentsSince(trx, accountId, since)
        const registered = await disableAppsRegisteredSince(
          trx,
          accountId,
          since,
          originOf(request),
        )
        return { allowed, registered }
      },
    })
    if (result.outcome === 'gone') return showGone(request, reply)
    if (result.outcome === 'taken')
      throw new PageError(
        409,
        messages.notMe.takenTitle,
        messages.notMe.taken({ email: result.email }),
      )
    identity.notifyAppsOfSignOut(ended)
    // The viewer was resolved while the session still existed.
    if (request.page.viewer?.accountId === lockedOutId) request.page.viewer = undefined
    if (result.outcome === 'shut_out')
      return reply.redirect(`/reset-password?token=${result.resetToken}`, 303)
    wakeOutbox()
    return sendPage(request, reply, emailRestoredView(request.page, result.email))
  })

  /** @returns undefined if the account is gone */
  async function findRemovals({ account_id: accountId, email, since }: MailLink) {
    const account = accountId === null ? undefined : await findAccount(db, accountId)
    if (!account) return undefined
    const [added, apps, own] = await Promise.all([
      listCredentialsAddedSince(db, account.id, since),
      listAppsAllowedSince(db, account.id, since),
      listAppsChangedSince(db, account.id, since),
    ])
    const restoresEmail = !isSameEmail(account.email, email)
    return { ...added, apps, ...own, since, restoredEmail: restoresEmail ? email : undefined }
  }

  const showGone = (request: FastifyRequest, reply: FastifyReply) =>
    sendPage(request, reply, linkGoneView(request.page, 'reset'))
}
