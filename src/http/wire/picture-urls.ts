import { createHmac, timingSafeEqual } from 'node:crypto'
import { memoize } from '../../kernel/async/memoize.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** `undefined` if responses contain the source URLs (`API_PICTURES=source`). */
    pictureUrls?: PictureUrls
  }
}

export type PictureUrlOptions = {
  /** Key that signs URLs, the same in every process. */
  secret: string
  /** Base URL of this service. */
  baseUrl: string
  /** Origins of the sources' pictures, such as `https://t.vndb.org`. */
  origins: readonly string[]
}

const PATH_PREFIX = '/pictures/'
const PATH = /^\/pictures\/([\w-]{22})\/((https?)\/(.+))$/
const MAC_BYTES = 16
/** Maximum number of URLs cached in memory. The same pictures appear in many list requests. */
const MAX_CACHED_URLS = 5_000

/**
 * Creates and reads URLs of this service for the sources' pictures: `/pictures/{signature}/https/t.vndb.org/cv/1.jpg`.
 * The signature grants access to pictures of adult works without a token. Only responses to callers who may see the
 * work contain it (decision 0002). It never expires, so responses and their ETags stay the same. Only catalog pictures
 * are signed, recognized by their grade (`sexual`). Other URLs, such as profile pictures and links, stay unchanged.
 */
export class PictureUrls {
  readonly #key: Buffer
  readonly #prefix: string
  readonly #sources: RegExp
  readonly #own: RegExp
  readonly #addressOf = memoize(
    (path) => `${this.#prefix}${this.#sign(path)}/${path}`,
    MAX_CACHED_URLS,
  )

  constructor({ secret, baseUrl, origins }: PictureUrlOptions) {
    this.#key = createHmac('sha256', secret).update('picture addresses').digest()
    this.#prefix = `${baseUrl}${PATH_PREFIX}`
    // ASCII without quotes and backslashes, because JSON and every encoding leave such a URL unchanged.
    const source = `("(?:url|src)": ?")((?:${origins.map(RegExp.escape).join('|')})/[!#-\\[\\]-~]*)"(?=[^}]*"sexual":)`
    this.#sources = new RegExp(source, 'g')
    this.#own = new RegExp(
      `("(?:url|src)": ?")${RegExp.escape(this.#prefix)}[\\w-]{22}/(https?)/`,
      'g',
    )
  }

  /** Replaces the sources' picture URLs in a JSON response with URLs of this service. */
  rewriteJson(json: string): string {
    return json.replace(
      this.#sources,
      (_, start: string, url: string) => `${start}${this.of(url)}"`,
    )
  }

  /** Restores the sources' picture URLs in a JSON response, for pages, which build their own URLs. */
  withSources(json: string): string {
    return json.replace(this.#own, (_, start: string, scheme: string) => `${start}${scheme}://`)
  }

  /** Returns the source URL for a signed URL, and any other string unchanged. */
  sourceOf(url: string): string {
    if (!url.startsWith(this.#prefix)) return url
    return this.read(url.slice(this.#prefix.length - PATH_PREFIX.length)) ?? url
  }

  of(url: string): string {
    return this.#addressOf(url.replace('://', '/'))
  }

  /** Returns the source URL from a request's path and query, or `undefined` if the signature is invalid. */
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
