import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../../../accounts/queries.ts'
import { SignedCookie } from '../../../ui/forms/signed-cookie.ts'
import type { Method } from '../browser-session.ts'

/** Seconds, to decide. */
const LIFETIME = 600

const METHODS = ['pwd', 'otp', 'hwk'] as const

/** Somebody who has proved who they are, and whose account waits for its deletion, in a signed cookie of the browser. */
export class KeepAccount {
  readonly #cookie: SignedCookie

  constructor({ secure }: { secure: boolean }) {
    this.#cookie = new SignedCookie(secure ? '__Secure-keep-account' : 'mokuroku-keep-account', {
      lifetimeSeconds: LIFETIME,
      path: '/sign-in',
    })
  }

  begin(reply: FastifyReply, { id, updated_at }: Account, methods: Method[]) {
    this.#cookie.set(reply, [id, updated_at.getTime(), methods.join('-')].join('.'))
  }

  /** @returns whose it is and how they proved it; `updatedAt`: another state of the account is none of it */
  read(
    request: FastifyRequest,
  ): { accountId: number; updatedAt: number; methods: Method[] } | undefined {
    const [id, updatedAt, methods = ''] = this.#cookie.read(request)?.split('.') ?? []
    if (id === undefined) return undefined
    return {
      accountId: Number(id),
      updatedAt: Number(updatedAt),
      methods: METHODS.filter((name) => methods.split('-').includes(name)),
    }
  }

  end(reply: FastifyReply) {
    this.#cookie.clear(reply)
  }
}
