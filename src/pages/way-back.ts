import type { FastifyReply, FastifyRequest } from 'fastify'
import { localAddress } from './local-address.ts'
import type { Messages } from './messages/en.ts'

/** A path of ours and nothing secret: one name is enough for http and https. */
const COOKIE = 'mokuroku-way-back'
/** Seconds that somebody takes to sign in. */
const LIFETIME = 30 * 60

/** Remembers, in the browser, where somebody wanted to go who has to sign in first. */
export function keepWayBack(reply: FastifyReply, address: string): void {
  void reply.setCookie(COOKIE, localAddress(address, []), { maxAge: LIFETIME })
}

/**
 * Sends a guest to the sign-in, which leads back to the page they asked for.
 *
 * @param start where it leads instead after a form, which is not sent again
 */
export function signInFirst(request: FastifyRequest, reply: FastifyReply, start: string): FastifyReply {
  keepWayBack(reply, request.method === 'GET' ? request.url : start)
  return reply.header('cache-control', 'no-store').redirect('/sign-in', 303)
}

/** Where to go on after signing in, once; undefined when nobody was on the way anywhere. */
export function takeWayBack(request: FastifyRequest, reply: FastifyReply): string | undefined {
  const address = request.cookies[COOKIE]
  if (address === undefined) return undefined
  void reply.clearCookie(COOKIE)
  return localAddress(address, [])
}

type SignInReason = keyof Messages['signIn']['reasons']

const REASONS: readonly [path: RegExp, reason: SignInReason][] = [
  [/^\/draft$/, 'draft'],
  [/^\/library\/(light-novels|galgames|mangas)\/\d+(\?|$)/, 'record'],
  [/^\/library\/import/, 'import'],
  [/^\/library\/collections/, 'collections'],
  [/^\/library/, 'library'],
  [/^\/report/, 'report'],
  [/^\/console/, 'console'],
]

/** What the sign-in page says a visitor signs in for. */
export function signInReason(request: FastifyRequest): SignInReason | undefined {
  const address = request.cookies[COOKIE]
  return address === undefined ? undefined : REASONS.find(([path]) => path.test(address))?.[1]
}
