import type { FastifyReply, FastifyRequest } from 'fastify'

type Options = { lifetimeSeconds: number; path?: string }

/** Returns the time of the database, because a process with a different clock may have set the cookie. */
const timeOf = ({ server }: FastifyRequest | FastifyReply) => (server.site?.now ?? Date.now)()

/**
 * State in a cookie that only this service can create. The signature covers the cookie's name, its
 * expiry and its account, so that no other cookie can replace it.
 */
export class SignedCookie {
  readonly name: string
  readonly #path: string
  readonly #lifetimeSeconds: number

  constructor(name: string, { lifetimeSeconds, path = '/' }: Options) {
    this.name = name
    this.#path = path
    this.#lifetimeSeconds = lifetimeSeconds
  }

  /** @param accountId owner of the state; undefined before the sign-in */
  set(reply: FastifyReply, value: string, accountId?: number): void {
    const expiresAt = timeOf(reply) + this.#lifetimeSeconds * 1_000
    void reply.setCookie(this.name, [this.name, accountId ?? '', expiresAt, value].join('.'), {
      path: this.#path,
      signed: true,
      maxAge: this.#lifetimeSeconds,
    })
  }

  /** @returns undefined if missing, forged, expired, or another account's */
  read(request: FastifyRequest, accountId?: number): string | undefined {
    const { valid, value } = request.unsignCookie(request.cookies[this.name] ?? '')
    if (!valid) return undefined
    const [name, owner, expiresAt, ...rest] = value.split('.')
    const hasValidSignature =
      name === this.name && owner === String(accountId ?? '') && Number(expiresAt) > timeOf(request)
    return hasValidSignature ? rest.join('.') : undefined
  }

  /** Reads the value and deletes the cookie. */
  take(request: FastifyRequest, reply: FastifyReply, accountId?: number): string | undefined {
    if (request.cookies[this.name] !== undefined) this.clear(reply)
    return this.read(request, accountId)
  }

  clear(reply: FastifyReply): void {
    void reply.clearCookie(this.name, { path: this.#path })
  }
}
