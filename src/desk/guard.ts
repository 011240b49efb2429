import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { localPath } from '../ui/local-path.ts'
import { storeReturnPath } from '../ui/forms/return-path.ts'
import type { PageViewer } from '../ui/page/site.ts'

/** Seconds for which a sign-in is fresh enough to act at the desk. */
const FRESH_SECONDS = 30 * 60

/** Of a page of the desk that moderators and administrators see. */
export const FOR_MODERATORS = {
  config: { access: 'page', role: 'MODERATOR' },
  schema: { hide: true },
} as const
/** Of a page of the desk that administrators alone see. */
export const FOR_ADMINS = {
  config: { access: 'page', role: 'ADMIN' },
  schema: { hide: true },
} as const

/** Whether somebody with a role is let where another is asked for: an administrator may do what a moderator may. */
const mayDo = (viewer: PageViewer | undefined, role: 'MODERATOR' | 'ADMIN'): boolean =>
  viewer?.role === 'ADMIN' || (viewer !== undefined && viewer.role === role)

export const isFresh = ({ signedInAt }: PageViewer, now = Date.now()): boolean =>
  now / 1_000 - signedInAt < FRESH_SECONDS

/**
 * Deny by default: a route of this scope that names no role stops the start of the program. Who has not the role gets what
 * an address gets that is not there, whatever they send; whoever has it and signed in too long ago is asked to again
 * before anything changes.
 */
export function guardDesk(app: FastifyInstance) {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (!config?.role)
      throw new Error(`${String(method)} ${url} is a page of the desk that names no role`)
  })
  app.addHook('onRequest', (request, reply, done) => {
    const { role } = request.routeOptions.config
    if (role && mayDo(request.page.viewer, role)) return done()
    // What was counted shows that there is something to count.
    request.throttleWindow = null
    reply.callNotFound()
  })
  app.addHook('preHandler', (request, reply, done) => {
    const { viewer } = request.page
    if (request.method === 'GET' || request.method === 'HEAD' || (viewer && isFresh(viewer)))
      return done()
    signInAgain(reply, placeOf(request))
  })
}

/** Leads to the sign-in, and from there back. */
function signInAgain(reply: FastifyReply, back: string): void {
  storeReturnPath(reply, back)
  void reply.header('cache-control', 'no-store').redirect('/sign-in?again=yes', 303)
}

/** The page a form was sent from; the desk when the browser does not tell, or it was none of ours. */
export function placeOf({ headers, page }: FastifyRequest): string {
  const referer = URL.parse(headers.referer ?? '')
  return referer?.origin === page.origin
    ? localPath(referer.pathname + referer.search, ['done'])
    : '/desk'
}

/** Who acts. @throws {Error} outside of the guard */
export function deskReader({ page, url }: FastifyRequest): PageViewer {
  if (!page.viewer) throw new Error(`${url} asked for its viewer and has no guard`)
  return page.viewer
}
