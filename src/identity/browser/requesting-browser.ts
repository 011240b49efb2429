import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashToken, isToken, newToken } from '../../kernel/opaque-tokens.ts'
import { cookieName } from '../../ui/forms/cookie-name.ts'
import { SignedCookie } from '../../ui/forms/signed-cookie.ts'

/** Cookie lifetime, in seconds. An email may be delayed for hours, and its link is then valid for another half hour. */
const LIFETIME = 86_400

/**
 * Uses a signed cookie, which grants no access, to recognize the browser that requested an email or began a sign-in at
 * another provider.
 */
export class RequestingBrowser {
  readonly #cookie: SignedCookie

  constructor(authUrl: string) {
    const name = cookieName('asking', authUrl.startsWith('https:'))
    this.#cookie = new SignedCookie(name, { lifetimeSeconds: LIFETIME })
  }

  /**
   * Sets the cookie.
   *
   * @returns hash to store with the email request; the same for all requests from one browser
   */
  remember(request: FastifyRequest, reply: FastifyReply): string {
    return hashToken(this.rememberToken(request, reply))
  }

  /** Sets the cookie. @returns its token, from which secrets can be derived that only this browser has */
  rememberToken(request: FastifyRequest, reply: FastifyReply): string {
    const token = this.token(request) ?? newToken()
    this.#cookie.set(reply, token)
    return token
  }

  /** @param hash from `remember`; null matches no browser */
  matches(request: FastifyRequest, hash: string | null): boolean {
    const token = this.token(request)
    return token !== undefined && hash !== null && hashToken(token) === hash
  }

  /** Returns the token of the cookie; undefined without a valid cookie. */
  token(request: FastifyRequest): string | undefined {
    const token = this.#cookie.read(request)
    return token !== undefined && isToken(token) ? token : undefined
  }
}
