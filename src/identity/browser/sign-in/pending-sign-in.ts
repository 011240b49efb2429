import type { FastifyReply, FastifyRequest } from 'fastify'
import { findAccount, type Account } from '../../../accounts/queries.ts'
import type { Database } from '../../../db/database.ts'
import { SignedCookie } from '../../../ui/forms/signed-cookie.ts'
import type { SignInMethod } from '../browser-session.ts'

const LIFETIME_SECONDS = 600

const METHODS = ['pwd', 'otp', 'hwk', 'fed'] as const

/** A sign-in that needs one more step after the owner has authenticated, stored in a signed cookie. */
export class PendingSignIn {
  readonly #cookie: SignedCookie

  constructor(step: 'second-factor' | 'keep-account' | 'approval', authUrl: string) {
    // Browsers accept the prefix only over https, so plain http cannot set this cookie.
    const prefix = authUrl.startsWith('https:') ? '__Secure' : 'mokuroku'
    this.#cookie = new SignedCookie(`${prefix}-${step}`, {
      lifetimeSeconds: LIFETIME_SECONDS,
      path: '/sign-in',
    })
  }

  begin(reply: FastifyReply, { id, updated_at }: Account, methods: SignInMethod[]) {
    this.#cookie.set(reply, [id, updated_at.getTime(), methods.join('-')].join('.'))
  }

  /** @returns undefined if no sign-in is pending, or the account has been changed or banned since it began */
  async find(
    db: Database,
    request: FastifyRequest,
  ): Promise<{ account: Account; methods: SignInMethod[] } | undefined> {
    const [id, updatedAt, methods = ''] = this.#cookie.read(request)?.split('.') ?? []
    const account = id === undefined ? undefined : await findAccount(db, Number(id))
    if (!account || account.banned_at || account.updated_at.getTime() !== Number(updatedAt))
      return undefined
    return { account, methods: METHODS.filter((name) => methods.split('-').includes(name)) }
  }

  end(reply: FastifyReply) {
    this.#cookie.clear(reply)
  }
}
