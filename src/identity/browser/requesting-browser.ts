import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashToken, isToken, newToken } from '../../kernel/opaque-tokens.ts'
import { cookieName } from '../../ui/forms/cookie-name.ts'
import { SignedCookie } from '../../ui/forms/signed-cookie.ts'

/** Cookie lifetime, in seconds. A mail may be delayed for hours, and its link is then valid for another half hour. */
const LIFETIME = 86_400

/** Recognizes the browser that requested a mail by a signed cookie that grants no access. */
export class RequestingBrowser {
  readonly #cookie: SignedCookie

  constructor(authUrl: string) {
    const name = cookieName('asking', authUrl.startsWith('https:'))
    this.#cookie = new SignedCookie(name, { lifetimeSeconds: LIFETIME })
  }

  /**
   * Sets the cookie.
   *
   * @returns hash to store with the request for a mail; the same for every request of a browser
   */
  remember(request: FastifyRequest, reply: FastifyReply): string {
    const token = this.#token(request) ?? newToken()
    this.#cookie.set(reply, token)
    return hashToken(token)
  }

  /** @param hash from `remember`; null matches no browser */
  matches(request: FastifyRequest, hash: string | null): boolean {
    const token = this.#token(request)
    return token !== undefined && hash !== null && hashToken(token) === hash
  }

  #token(request: FastifyRequest): string | undefined {
    const token = this.#cookie.read(request)
    return token !== undefined && isToken(token) ? token : undefined
  }
}
