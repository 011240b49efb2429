import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashToken, isToken, newToken } from '../../accounts/opaque-tokens.ts'
import { cookieName } from '../../pages/cookie-name.ts'
import { cookieOptions } from './complete-sign-in.ts'

/** Seconds: a mail may be on its way for hours before its link is good for half of one. */
const LIFETIME = 86_400

/** Recognizes the browser that asked for a mail by a signed cookie, which opens nothing. */
export class AskingBrowser {
  readonly #name: string
  readonly #options: ReturnType<typeof cookieOptions>

  constructor(authUrl: string) {
    this.#name = cookieName('asking', authUrl.startsWith('https:'))
    this.#options = cookieOptions(authUrl)
  }

  /** @returns what is stored with the request for a mail: one hash a browser, however often it asks */
  remember(request: FastifyRequest, reply: FastifyReply): string {
    const token = this.#token(request) ?? newToken()
    void reply.setCookie(this.#name, token, { ...this.#options, signed: true, maxAge: LIFETIME })
    return hashToken(token)
  }

  /** @param hash as `remember` gave it; null is no browser's */
  is(request: FastifyRequest, hash: string | null): boolean {
    const token = this.#token(request)
    return token !== undefined && hash !== null && hashToken(token) === hash
  }

  #token(request: FastifyRequest): string | undefined {
    const { valid, value } = request.unsignCookie(request.cookies[this.#name] ?? '')
    return valid && isToken(value) ? value : undefined
  }
}
