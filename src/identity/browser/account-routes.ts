import type { FastifyInstance, FastifyRequest } from 'fastify'
import { forgetDraft, isRestored, keepDraft, mayKeepDraft } from '../../accounts/form-drafts.ts'
import { findAccount } from '../../accounts/queries.ts'
import { SignedOutMeanwhile } from '../../accounts/sign-in/standing-session.ts'
import { signInFirst } from '../../ui/forms/way-back.ts'
import { appsRoutes } from './account/apps.ts'
import { authenticatorRoutes } from './account/security/authenticator.ts'
import { dataRoutes } from './account/data.ts'
import { deletionRoutes } from './account/deletion.ts'
import { emailRoutes } from './account/email.ts'
import { historyRoutes } from './account/history.ts'
import { overviewRoutes } from './account/overview.ts'
import type { AccountOptions, Owner } from './account/owner.ts'
import { passkeyRoutes } from './account/security/passkeys.ts'
import { passwordRoutes } from './account/security/password.ts'
import { accountPictureRoutes } from './account/picture.ts'
import { preferenceRoutes } from './account/preferences.ts'
import { profilePageRoutes } from './account/profile.ts'
import { recoveryCodeRoutes } from './account/security/recovery-codes.ts'
import { securityRoutes } from './account/security/security.ts'
import { sessionRoutes } from './account/security/sessions.ts'
import { welcomeRoutes } from './account/welcome.ts'
import type { BrowserOptions } from './options.ts'

const PAGES = [
  overviewRoutes,
  welcomeRoutes,
  profilePageRoutes,
  accountPictureRoutes,
  preferenceRoutes,
  emailRoutes,
  passwordRoutes,
  securityRoutes,
  authenticatorRoutes,
  recoveryCodeRoutes,
  passkeyRoutes,
  sessionRoutes,
  appsRoutes,
  historyRoutes,
  dataRoutes,
  deletionRoutes,
]

/** The pages of the account that is signed in; without one every route redirects to the sign-in. */
export async function accountRoutes(app: FastifyInstance, options: BrowserOptions) {
  const { db, sessions } = options
  const owners = new WeakMap<FastifyRequest, Owner>()

  app.addHook('onRequest', async (request, reply) => {
    const session = await sessions.current(request)
    const account = session && (await findAccount(db, session.accountId))
    if (!account) return mayKeepDraft(request) ? undefined : signInFirst(request, reply, '/account')
    owners.set(request, { account, session })
  })

  app.addHook('preHandler', async (request, reply) => {
    if (!owners.has(request)) return keepDraft(db, request, reply, '/account')
    if (isRestored(request)) await forgetDraft(db, request, reply)
  })

  // Whoever was shut out while they changed how to sign in is out, and the change is not made.
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof SignedOutMeanwhile)) throw error
    return reply.header('cache-control', 'no-store').redirect('/sign-in', 303)
  })

  const all: AccountOptions = {
    ...options,
    ownerOf(request) {
      const owner = owners.get(request)
      if (!owner) throw new Error(`${request.url} asked for its owner and has no guard`)
      return owner
    },
  }
  for (const routes of PAGES) await app.register(routes, all)
}
