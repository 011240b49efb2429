import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../../../accounts/queries.ts'
import { SignedCookie } from '../../../ui/forms/signed-cookie.ts'

/** Seconds, to enter the code. */
const LIFETIME = 600

/** A sign-in with the right password that still lacks the second factor, in a signed cookie of the browser. */
export class PendingSignIn {
  readonly #cookie: SignedCookie

  constructor({ secure }: { secure: boolean }) {
    // With the prefix no plain http can set it; browsers take the prefix from https only.
    this.#cookie = new SignedCookie(secure ? '__Secure-second-factor' : 'mokuroku-second-factor', {
      lifetimeSeconds: LIFETIME,
      path: '/sign-in',
    })
  }

  begin(reply: FastifyReply, { id, updated_at }: Account) {
    this.#cookie.set(reply, [id, updated_at.getTime()].join('.'))
  }

  /** @returns the account's id, and when it was last changed as the password was given: another password is none of it */
  read(request: FastifyRequest): { accountId: number; updatedAt: number } | undefined {
    const [id, updatedAt] = this.#cookie.read(request)?.split('.') ?? []
    return id === undefined ? undefined : { accountId: Number(id), updatedAt: Number(updatedAt) }
  }

  end(reply: FastifyReply) {
    this.#cookie.clear(reply)
  }
}
