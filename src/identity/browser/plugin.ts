import type { FastifyInstance } from 'fastify'
import type { Signals } from '../../db/upkeep/signals.ts'
import { respondAfter } from '../../http/wire/respond-after.ts'
import { addressKey, type Throttle } from '../../http/admission/throttle.ts'
import { rateLimited } from '../../http/wire/errors/refusals.ts'
import { pages } from '../../ui/page/plugin.ts'
import { accountRoutes } from './account-routes.ts'
import { BrowserSessions } from './browser-session.ts'
import { interactionRoutes } from './interaction-routes.ts'
import { keepAccountRoutes } from './sign-in/keep-account-routes.ts'
import { notMeRoutes } from './sign-in/not-me-routes.ts'
import { waitingAccountRoutes } from './sign-in/waiting-account-routes.ts'
import type { BrowserOptions } from './options.ts'
import { passwordResetRoutes } from './sign-in/password-reset-routes.ts'
import { signInRoutes } from './sign-in/sign-in-routes.ts'
import { upstreamRoutes } from './upstream/upstream-routes.ts'
import { upstreamSignUpRoutes } from './upstream/upstream-sign-up-routes.ts'
import { signUpRoutes } from './sign-up-routes.ts'

const ROUTES = [
  interactionRoutes,
  signInRoutes,
  keepAccountRoutes,
  waitingAccountRoutes,
  signUpRoutes,
  passwordResetRoutes,
  notMeRoutes,
  upstreamRoutes,
  upstreamSignUpRoutes,
  accountRoutes,
]

/** Registers the pages for sign-in, sign-up, consent and the account. */
export async function browserPages(
  app: FastifyInstance,
  {
    throttle,
    requestsPerMinute,
    signals,
    ...options
  }: Omit<BrowserOptions, 'sessions'> & {
    throttle: Throttle
    requestsPerMinute: number
    signals: Signals
  },
) {
  const { db, identity, authUrl, log } = options
  const secure = authUrl.startsWith('https:')
  await pages(app, { cookieKeys: identity.cookieKeys, origin: authUrl, secure, log })
  limitForms(app, throttle, requestsPerMinute)
  respondAfter(app, signals.catchUp)
  const all: BrowserOptions = { ...options, sessions: new BrowserSessions(db, identity) }
  for (const routes of ROUTES) await app.register(routes, all)
}

/** Limits the forms that a client address may send per minute, because they cost password hashes, emails and rows. */
function limitForms(app: FastifyInstance, throttle: Throttle, requestsPerMinute: number) {
  app.addHook('onRequest', async ({ method, ip }) => {
    if (method === 'GET' || method === 'HEAD') return
    const window = await throttle(addressKey(ip), requestsPerMinute)
    if (window.exceeded) throw rateLimited(window)
  })
}
