import type { FastifyReply, FastifyRequest } from 'fastify'
import { localAddress } from './local-address.ts'

/** A path of ours and nothing secret: one name is enough for http and https. */
const COOKIE = 'mokuroku-way-back'
/** Seconds that somebody takes to sign in. */
const LIFETIME = 30 * 60

/** Remembers, in the browser, where somebody wanted to go who has to sign in first. */
export function keepWayBack(reply: FastifyReply, address: string): void {
  void reply.setCookie(COOKIE, localAddress(address, []), { maxAge: LIFETIME })
}

/** Where to go on after signing in, once; undefined when nobody was on the way anywhere. */
export function takeWayBack(request: FastifyRequest, reply: FastifyReply): string | undefined {
  const address = request.cookies[COOKIE]
  if (address === undefined) return undefined
  void reply.clearCookie(COOKIE)
  return localAddress(address, [])
}
