import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../../accounts/queries.ts'
import type { cookieOptions } from './complete-sign-in.ts'

/** Seconds, to enter the code. */
const LIFETIME = 600

/** A sign-in with the right password that still lacks the second factor, in a signed cookie of the browser. */
export class PendingSignIn {
  readonly #name: string
  readonly #options: ReturnType<typeof cookieOptions>

  constructor(options: ReturnType<typeof cookieOptions>) {
    // With the prefix no plain http can set it; browsers take the prefix from https only.
    this.#name = options.secure ? '__Secure-second-factor' : 'mokuroku-second-factor'
    this.#options = options
  }

  begin(reply: FastifyReply, { id, updated_at }: Account) {
    const value = [id, Date.now() + LIFETIME * 1_000, updated_at.getTime()].join('.')
    void reply.setCookie(this.#name, value, {
      ...this.#options,
      path: '/sign-in',
      signed: true,
      maxAge: LIFETIME,
    })
  }

  /** @returns the account's id, and when it was last changed as the password was given: another password is none of it */
  read(request: FastifyRequest): { accountId: number; updatedAt: number } | undefined {
    const cookie = request.unsignCookie(request.cookies[this.#name] ?? '')
    if (!cookie.valid || cookie.value === null) return undefined
    const [, id, until, updatedAt] = /^(\d+)\.(\d+)\.(\d+)$/.exec(cookie.value) ?? []
    return Number(until) > Date.now() ? { accountId: Number(id), updatedAt: Number(updatedAt) } : undefined
  }

  end(reply: FastifyReply) {
    void reply.clearCookie(this.#name, { ...this.#options, path: '/sign-in' })
  }
}
