import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../../accounts/queries.ts'
import type { Method } from './browser-session.ts'

/** Seconds, to decide. */
const LIFETIME = 600

type Options = { path: string; httpOnly: boolean; sameSite: 'lax'; secure: boolean }

/** Somebody who has proved who they are, and whose account waits for its deletion, in a signed cookie of the browser. */
export class KeepAccount {
  readonly #name: string
  readonly #options: Options

  constructor(options: Options) {
    this.#name = options.secure ? '__Secure-keep-account' : 'mokuroku-keep-account'
    this.#options = { ...options, path: '/sign-in' }
  }

  begin(reply: FastifyReply, { id, updated_at }: Account, methods: Method[]) {
    const value = [id, Date.now() + LIFETIME * 1_000, updated_at.getTime(), methods.join('-')].join('.')
    void reply.setCookie(this.#name, value, { ...this.#options, signed: true, maxAge: LIFETIME })
  }

  /** @returns whose it is and how they proved it; `updatedAt`: another state of the account is none of it */
  read(request: FastifyRequest): { accountId: number; updatedAt: number; methods: Method[] } | undefined {
    const cookie = request.unsignCookie(request.cookies[this.#name] ?? '')
    if (!cookie.valid) return undefined
    const [, id, until, updatedAt, methods = ''] = /^(\d+)\.(\d+)\.(\d+)\.([a-z-]+)$/.exec(cookie.value) ?? []
    if (!(Number(until) > Date.now())) return undefined
    return {
      accountId: Number(id),
      updatedAt: Number(updatedAt),
      methods: METHODS.filter((name) => methods.split('-').includes(name)),
    }
  }

  end(reply: FastifyReply) {
    void reply.clearCookie(this.#name, this.#options)
  }
}

const METHODS = ['pwd', 'otp', 'hwk'] as const
