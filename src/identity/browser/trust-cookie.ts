import type { FastifyReply, FastifyRequest } from 'fastify'
import { isToken } from '../../accounts/opaque-tokens.ts'
import { TRUST_DAYS } from '../../accounts/sign-in/trusted-browsers.ts'
import { cookieOptions } from './complete-sign-in.ts'

/** People who share a browser, each with an account. */
const MAX_TOKENS = 5

/** The tokens of the accounts that trust a browser, in one signed cookie, which is sent to the sign-in alone. */
export class TrustCookie {
  readonly #name: string
  readonly #options: Omit<ReturnType<typeof cookieOptions>, 'path'> & { path: string }

  constructor(authUrl: string) {
    const options = cookieOptions(authUrl)
    // With the prefix no plain http can set it; browsers take the prefix from https only.
    this.#name = options.secure ? '__Secure-trusted' : 'mokuroku-trusted'
    this.#options = { ...options, path: '/sign-in' }
  }

  read(request: FastifyRequest): string[] {
    const { valid, value } = request.unsignCookie(request.cookies[this.#name] ?? '')
    return valid ? value.split('.').filter(isToken).slice(0, MAX_TOKENS) : []
  }

  /** Adds one; the oldest goes. */
  add(request: FastifyRequest, reply: FastifyReply, token: string) {
    const tokens = [token, ...this.read(request)].slice(0, MAX_TOKENS)
    void reply.setCookie(this.#name, tokens.join('.'), {
      ...this.#options,
      signed: true,
      maxAge: TRUST_DAYS * 86_400,
    })
  }
}
