import { createHmac, timingSafeEqual } from 'node:crypto'
import { memoize } from '../../kernel/async/memoize.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Undefined if answers keep the sources' addresses (`API_PICTURES=source`). */
    pictureAddresses?: PictureAddresses
  }
}

export type PictureAddressOptions = {
  /** Key that signs addresses, the same in every process. */
  secret: string
  /** Base URL of this service. */
  baseUrl: string
  /** Origins of the sources' pictures, such as `https://t.vndb.org`. */
  origins: readonly string[]
}

const PATH_START = '/pictures/'
const PATH = /^\/pictures\/([\w-]{22})\/((https?)\/(.+))$/
const MAC_BYTES = 16
/** Maximum number of addresses cached in memory: the pictures of list pages are requested repeatedly. */
const MAX_KNOWN = 5_000

/**
 * Addresses of this service for the sources' pictures: `/pictures/{signature}/https/t.vndb.org/cv/1.jpg`.
 *
 * The signature grants access to pictures of adult works without a token: only answers to callers who may see the work
 * contain it (decision 0002). It never expires, so that answers and their ETags stay the same.
 *
 * Signs only pictures of the catalog, which are the objects with a grade (`sexual`). Other addresses, such as profile
 * pictures and links, stay unchanged.
 */
export class PictureAddresses {
  readonly #key: Buffer
  readonly #prefix: string
  readonly #sources: RegExp
  readonly #own: RegExp
  readonly #addressOf = memoize((path) => `${this.#prefix}${this.#sign(path)}/${path}`, MAX_KNOWN)

  constructor({ secret, baseUrl, origins }: PictureAddressOptions) {
    this.#key = createHmac('sha256', secret).update('picture addresses').digest()
    this.#prefix = `${baseUrl}${PATH_START}`
    // ASCII without quotes and backslashes: JSON and every encoding leave such an address unchanged.
    const source = `("(?:url|src)": ?")((?:${origins.map(RegExp.escape).join('|')})/[!#-\\[\\]-~]*)"(?=[^}]*"sexual":)`
    this.#sources = new RegExp(source, 'g')
    this.#own = new RegExp(
      `("(?:url|src)": ?")${RegExp.escape(this.#prefix)}[\\w-]{22}/(https?)/`,
      'g',
    )
  }

  /** Replaces the sources' picture URLs in a JSON response with this service's. */
  inAnswer(json: string): string {
    return json.replace(
      this.#sources,
      (_, start: string, url: string) => `${start}${this.of(url)}"`,
    )
  }

  /** Restores the sources' picture URLs in a JSON response, for pages, which build their own URLs. */
  withSources(json: string): string {
    return json.replace(this.#own, (_, start: string, scheme: string) => `${start}${scheme}://`)
  }

  /** Returns the source's address for a signed one, and any other text unchanged. */
  sourceOf(address: string): string {
    if (!address.startsWith(this.#prefix)) return address
    return this.read(address.slice(this.#prefix.length - PATH_START.length)) ?? address
  }

  of(url: string): string {
    return this.#addressOf(url.replace('://', '/'))
  }

  /** Returns the source's address from a request's path and query; undefined if the signature is invalid. */
  read(path: string): string | undefined {
    const [, signature = '', signed = '', scheme, rest] = PATH.exec(path) ?? []
    const expected = this.#sign(signed)
    if (signature.length !== expected.length) return undefined
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return undefined
    return `${scheme}://${rest}`
  }

  #sign(path: string): string {
    return createHmac('sha256', this.#key)
      .update(path)
      .digest()
      .subarray(0, MAC_BYTES)
      .toString('base64url')
  }
}
