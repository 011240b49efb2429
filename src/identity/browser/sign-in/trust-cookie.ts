import type { FastifyReply, FastifyRequest } from 'fastify'
import { isToken } from '../../../kernel/opaque-tokens.ts'
import { TRUST_DAYS } from '../../../accounts/sign-in/trusted-browsers.ts'
import { SignedCookie } from '../../../ui/forms/signed-cookie.ts'

/** Maximum number of accounts in a shared browser. */
const MAX_TOKENS = 5

/**
 * Holds the trust tokens of a browser's accounts in one signed cookie, which browsers send only to the sign-in pages.
 */
export class TrustCookie {
  readonly #cookie: SignedCookie

  constructor(authUrl: string) {
    // Browsers accept the prefix only over https, so plain http cannot set this cookie.
    const name = authUrl.startsWith('https:') ? '__Secure-trusted' : 'mokuroku-trusted'
    this.#cookie = new SignedCookie(name, {
      lifetimeSeconds: TRUST_DAYS * 86_400,
      path: '/sign-in',
    })
  }

  read(request: FastifyRequest): string[] {
    const tokens = this.#cookie.read(request) ?? this.#readSignedTokens(request)
    return tokens?.split('.').filter(isToken).slice(0, MAX_TOKENS) ?? []
  }

  /**
   * Format used by older versions, whose value did not begin with the cookie's name. Such cookies expire 30 days after
   * the upgrade.
   */
  #readSignedTokens(request: FastifyRequest): string | undefined {
    const { valid, value } = request.unsignCookie(request.cookies[this.#cookie.name] ?? '')
    return valid && !value.startsWith(`${this.#cookie.name}.`) ? value : undefined
  }

  /** Adds a token and drops the oldest one. */
  add(request: FastifyRequest, reply: FastifyReply, token: string) {
    const tokens = [token, ...this.read(request)].slice(0, MAX_TOKENS)
    this.#cookie.set(reply, tokens.join('.'))
  }
}
