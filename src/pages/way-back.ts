import type { FastifyReply, FastifyRequest } from 'fastify'
import { localAddress } from './local-address.ts'
import { SignedCookie } from './signed-cookie.ts'

/** A path of ours and nothing secret: one name is enough for http and https. Lasts as long as a sign-in may take. */
const cookie = new SignedCookie('mokuroku-way-back', { lifetimeSeconds: 30 * 60 })

/** Remembers, in the browser, where to go on after the sign-in. */
export function keepWayBack(reply: FastifyReply, address: string): void {
  cookie.set(reply, localAddress(address, []))
}

/** Where to go on after the sign-in, once; undefined if no page asked for it. */
export function takeWayBack(request: FastifyRequest, reply: FastifyReply): string | undefined {
  const address = cookie.take(request, reply)
  return address === undefined ? undefined : localAddress(address, [])
}
