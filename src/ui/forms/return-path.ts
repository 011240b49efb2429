import type { FastifyReply, FastifyRequest } from 'fastify'
import { localPath } from '../local-path.ts'
import type { Messages } from '../messages.ts'
import { SignedCookie } from './signed-cookie.ts'

/**
 * Holds a local path, which is not secret, so http and https share one name. Lasts as long as a sign-in may take.
 */
const cookie = new SignedCookie('mokuroku-way-back', { lifetimeSeconds: 30 * 60 })

/** Stores in the browser where to continue after the sign-in. */
export function storeReturnPath(reply: FastifyReply, path: string): void {
  cookie.set(reply, localPath(path, []))
}

/**
 * Redirects a guest to the sign-in, which leads back to the requested page.
 *
 * @param start where the sign-in leads after a form submission, since the form is not resubmitted
 */
export function redirectToSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  start: string,
): FastifyReply {
  storeReturnPath(reply, request.method === 'GET' ? request.url : start)
  return reply.header('cache-control', 'no-store').redirect('/sign-in', 303)
}

/** Returns the path to continue at after the sign-in, and deletes it. Undefined if none is stored. */
export function takeReturnPath(request: FastifyRequest, reply: FastifyReply): string | undefined {
  const path = cookie.take(request, reply)
  return path === undefined ? undefined : localPath(path, [])
}

/**
 * Returns the path of the page that sent the request, for a return after the sign-in.
 *
 * @param fallback path if the Referer header is missing or names another site
 */
export function refererPath({ headers, page }: FastifyRequest, fallback: string): string {
  const referer = URL.parse(headers.referer ?? '')
  return referer?.origin === page.origin
    ? localPath(referer.pathname + referer.search, ['done'])
    : fallback
}

type SignInReason = keyof Messages['signIn']['reasons']

const REASONS: readonly [pattern: RegExp, reason: SignInReason][] = [
  [/^\/draft$/, 'draft'],
  [/^\/library\/(light-novels|galgames|mangas)\/\d+(\?|$)/, 'record'],
  [/^\/library\/import/, 'import'],
  [/^\/library\/collections/, 'collections'],
  [/^\/library/, 'library'],
  [/^\/report/, 'report'],
  [/^\/console/, 'console'],
  [/^\/account\/security\/providers\/confirm/, 'connect'],
]

/** Returns the reason to sign in that the sign-in page shows. */
export function signInReason(request: FastifyRequest): SignInReason | undefined {
  const path = cookie.read(request)
  return path === undefined ? undefined : REASONS.find(([pattern]) => pattern.test(path))?.[1]
}
