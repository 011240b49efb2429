import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  discardDraft,
  isRestored,
  saveDraftAndSignIn,
  canSaveDraft,
} from '../../accounts/form-drafts.ts'
import { findAccount } from '../../accounts/queries.ts'
import { SessionEndedError } from '../../accounts/sign-in/lock-session.ts'
import { redirectToSignIn } from '../../ui/forms/return-path.ts'
import { appsRoutes } from './account/apps.ts'
import { authenticatorRoutes } from './account/security/authenticator.ts'
import { accountFeedRoutes } from './account/feeds.ts'
import { deletionRoutes } from './account/deletion.ts'
import { emailRoutes } from './account/email.ts'
import { overviewRoutes } from './account/overview.ts'
import { passkeyRoutes } from './account/security/passkeys.ts'
import { passwordRoutes } from './account/security/password.ts'
import { providerRoutes } from './account/security/providers.ts'
import { accountPictureRoutes } from './account/picture.ts'
import { preferenceRoutes } from './account/preferences.ts'
import { profilePageRoutes } from './account/profile.ts'
import { securityRoutes } from './account/security/security.ts'
import { sessionRoutes } from './account/security/sessions.ts'
import { tokenRoutes } from './account/tokens.ts'
import type { BrowserOptions } from './options.ts'
import type { AccountOptions, Owner } from './account/account-page.ts'

const PAGES = [
  overviewRoutes,
  profilePageRoutes,
  accountPictureRoutes,
  preferenceRoutes,
  emailRoutes,
  passwordRoutes,
  securityRoutes,
  authenticatorRoutes,
  passkeyRoutes,
  providerRoutes,
  sessionRoutes,
  appsRoutes,
  tokenRoutes,
  accountFeedRoutes,
  deletionRoutes,
]

/** Registers the pages of the signed-in account. Without a session, every route redirects to the sign-in. */
export async function accountRoutes(app: FastifyInstance, options: BrowserOptions) {
  const { db, sessions } = options
  const owners = new WeakMap<FastifyRequest, Owner>()

  app.addHook('onRequest', async (request, reply) => {
    const session = await sessions.current(request)
    const account = session && (await findAccount(db, session.accountId))
    if (!account)
      return canSaveDraft(request) ? undefined : redirectToSignIn(request, reply, '/account')
    owners.set(request, { account, session })
  })

  app.addHook('preHandler', async (request, reply) => {
    if (!owners.has(request)) return saveDraftAndSignIn(db, request, reply, '/account')
    if (isRestored(request)) await discardDraft(db, request, reply)
  })

  // The session ended before the change to the sign-in methods was stored, so nothing changed.
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof SessionEndedError)) throw error
    return reply.header('cache-control', 'no-store').redirect('/sign-in', 303)
  })

  const all: AccountOptions = {
    ...options,
    ownerOf(request) {
      const owner = owners.get(request)
      if (!owner) throw new Error(`${request.url} has no session guard`)
      return owner
    },
  }
  for (const routes of PAGES) await app.register(routes, all)
}
