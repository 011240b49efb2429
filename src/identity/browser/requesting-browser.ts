import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashToken, isToken, newToken } from '../../kernel/opaque-tokens.ts'
import { cookieName } from '../../ui/forms/cookie-name.ts'
import { SignedCookie } from '../../ui/forms/signed-cookie.ts'

/** Seconds: a mail may be on its way for hours before its link is good for half of one. */
const LIFETIME = 86_400

/** Recognizes the browser that asked for a mail by a signed cookie, which opens nothing. */
export class RequestingBrowser {
  readonly #cookie: SignedCookie

  constructor(authUrl: string) {
    const name = cookieName('asking', authUrl.startsWith('https:'))
    this.#cookie = new SignedCookie(name, { lifetimeSeconds: LIFETIME })
  }

  /** @returns what is stored with the request for a mail: one hash a browser, however often it asks */
  remember(request: FastifyRequest, reply: FastifyReply): string {
    const token = this.#token(request) ?? newToken()
    this.#cookie.set(reply, token)
    return hashToken(token)
  }

  /** @param hash as `remember` gave it; null is no browser's */
  matches(request: FastifyRequest, hash: string | null): boolean {
    const token = this.#token(request)
    return token !== undefined && hash !== null && hashToken(token) === hash
  }

  #token(request: FastifyRequest): string | undefined {
    const token = this.#cookie.read(request)
    return token !== undefined && isToken(token) ? token : undefined
  }
}
