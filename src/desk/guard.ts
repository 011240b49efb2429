import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refererPath, storeReturnPath } from '../ui/forms/return-path.ts'
import { isRecentSignIn } from '../ui/recent-sign-in.ts'
import type { PageViewer } from '../ui/page/site.ts'

/** Options of a route for moderators and administrators. */
export const FOR_MODERATORS = {
  config: { access: 'page', role: 'MODERATOR' },
  schema: { hide: true },
} as const
/** Options of a route for administrators only. */
export const FOR_ADMINS = {
  config: { access: 'page', role: 'ADMIN' },
  schema: { hide: true },
} as const

/** Whether the viewer has the role. Administrators may do everything moderators may. */
const hasRole = (viewer: PageViewer | undefined, role: 'MODERATOR' | 'ADMIN'): boolean =>
  viewer?.role === 'ADMIN' || (viewer !== undefined && viewer.role === role)

/**
 * Denies access by default: the program does not start with a route in this scope that has no role. Without the role,
 * every request gets the response of a nonexistent path. With the role, requests that change something need a recent
 * sign-in.
 */
export function guardDesk(app: FastifyInstance) {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (!config?.role) throw new Error(`${String(method)} ${url} is a desk page without a role`)
  })
  app.addHook('onRequest', (request, reply, done) => {
    const { role } = request.routeOptions.config
    if (role && hasRole(request.page.viewer, role)) return done()
    // A rate limit header would show that the path exists.
    request.throttleWindow = null
    reply.callNotFound()
  })
  app.addHook('preHandler', (request, reply, done) => {
    const { viewer } = request.page
    if (request.method === 'GET' || request.method === 'HEAD' || (viewer && isRecentSignIn(viewer)))
      return done()
    signInAgain(reply, refererPath(request, '/desk'))
  })
}

/** Redirects to the sign-in page, which then leads back. */
function signInAgain(reply: FastifyReply, back: string): void {
  storeReturnPath(reply, back)
  void reply.header('cache-control', 'no-store').redirect('/sign-in?again=yes', 303)
}

/**
 * Returns the viewer of a guarded page.
 *
 * @throws {Error} on a page without the guard
 */
export function deskViewer({ page, url }: FastifyRequest): PageViewer {
  if (!page.viewer) throw new Error(`${url} reads the viewer but is not behind guardDesk`)
  return page.viewer
}
