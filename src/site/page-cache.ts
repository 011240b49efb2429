import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { requestsPage } from '../http/wire/requests/requests-page.ts'
import { etagOf, matchesEtag } from '../http/wire/etag.ts'
import { BROTLI_OPTIONS } from '../ui/page/compress-pages.ts'
import { encodingFor, type ContentEncoding } from '../http/wire/content-encoding.ts'
import { pageLanguageOf } from '../ui/page/page-context.ts'
import { announcementFor } from '../ui/announcement.ts'
import { themeFromCookies } from '../ui/page/theme.ts'
import { titlePreferenceFromCookies } from '../ui/title-preference.ts'

/**
 * Bytes of a page in one encoding, and its headers in the flat form that `writeHead` accepts without copying.
 */
type Variant = { bytes: string | Buffer; etag: string; headers: string[] }

/**
 * Maximum length of a body stored as a string. A latin1 string is sent in one write with the headers; a buffer takes
 * two writes and 5 µs more. Above 16 KiB, Node copies the string for every response, and a buffer is cheaper.
 */
const MAX_STRING_BYTES = 15_000

/** Page as guests see it. `paths` are those of the entries whose changes evict it. */
type CachedPage = {
  plain: Buffer
  paths: string[]
  variants: Map<ContentEncoding | undefined, Variant>
}

const MAX_BYTES = 20 * 2 ** 20
/** Maximum length of a body in the common cache. Longer ones are cached separately, so that a few large calendars do not evict all other pages. */
const MAX_COMMON_LENGTH = 2 ** 18
const MAX_BYTES_OF_LARGE = 12 * 2 ** 20
/**
 * Maximum staleness of user data on a page. Other changes invalidate pages at once: see `clear` and `invalidate`.
 */
const LIFETIME_MS = 30_000

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) }

/**
 * Short-lived cache of pages for guests. Requests with a session bypass it in both directions, as
 * do pages with a form, whose CSRF token is valid for one browser only.
 */
export class PageCache {
  readonly #pages = this.#pagesOf(MAX_BYTES)
  readonly #largePages = this.#pagesOf(MAX_BYTES_OF_LARGE)
  /** Cache keys of each entry path. */
  readonly #keysOf = new Map<string, Set<string>>()
  /** Incremented on each change. A page whose rendering began before the change is not cached. */
  #generation = 0

  get generation() {
    return this.#generation
  }

  clear() {
    this.#generation += 1
    this.#pages.clear()
    this.#largePages.clear()
  }

  /**
   * Evicts the pages about one entry.
   *
   * @param path path of the entry, from `entryPath`
   */
  invalidate(path: string) {
    this.#generation += 1
    for (const key of this.#keysOf.get(path) ?? []) this.#delete(key)
  }

  #pagesOf(maxSize: number) {
    return new LRUCache<string, CachedPage>({
      maxSize,
      ttl: LIFETIME_MS,
      sizeCalculation: ({ plain }) => 2 * plain.length + 1_000,
      dispose: ({ paths }, key) => this.#removeKey(key, paths),
    })
  }

  #find(key: string) {
    return this.#pages.get(key) ?? this.#largePages.get(key)
  }

  #delete(key: string) {
    this.#pages.delete(key)
    this.#largePages.delete(key)
  }

  #removeKey(key: string, paths: string[]) {
    for (const path of paths) {
      const keys = this.#keysOf.get(path)
      keys?.delete(key)
      if (keys?.size === 0) this.#keysOf.delete(path)
    }
  }

  /**
   * Sends the cached page for a request.
   *
   * @returns false if the page is not cached
   */
  sendCached(request: FastifyRequest, reply: FastifyReply): boolean {
    const page = mayBeCached(request) ? this.#find(keyOf(request)) : undefined
    const variant = page?.variants.get(encodingFor(request.headers['accept-encoding']))
    if (variant) send(request, reply, variant)
    return variant !== undefined
  }

  /**
   * Caches a page and sends it.
   *
   * @param generation cache generation at the time the data was read
   * @param entries paths of entries that the page shows user data of, besides the one that it is about
   */
  async cacheAndSend(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      text,
      headers,
      generation,
      entries = [],
    }: { text: string; headers: Record<string, string>; generation: number; entries?: string[] },
  ) {
    const key = keyOf(request)
    const plain = Buffer.from(text)
    const encoding = encodingFor(request.headers['accept-encoding'])
    const variant = await variantOf(plain, headers, encoding)
    if (generation === this.#generation) {
      const known = this.#find(key)
      const variants = known?.plain.equals(plain)
        ? known.variants
        : new Map<ContentEncoding | undefined, Variant>()
      variants.set(encoding, variant)
      const paths = [entryPathIn(key), ...entries].filter((path) => path !== '')
      const pages = plain.length > MAX_COMMON_LENGTH ? this.#largePages : this.#pages
      this.#delete(key)
      pages.set(key, { plain, paths, variants })
      if (pages.has(key))
        for (const path of paths) this.#keysOf.getOrInsertComputed(path, () => new Set()).add(key)
    }
    send(request, reply, variant)
  }
}

/** Whether all guests receive the same page for this request. */
export const isSharedByGuests = (request: FastifyRequest) =>
  isReadRequest(request) && request.page.viewer === undefined && !request.page.hasCsrfToken()

/** Decides without creating the page context. A request without cookies is from a guest. */
const mayBeCached = (request: FastifyRequest) =>
  request.headers.cookie === undefined ? isReadRequest(request) : isSharedByGuests(request)

const isReadRequest = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'

/** `/` renders a page only for clients that accept HTML. */
const keyOf = (request: FastifyRequest) =>
  `${pageLanguageOf(request)} ${themeFromCookies(request.headers.cookie)} ${titlePreferenceFromCookies(request.headers.cookie)} ${announcementFor(request.server.site, request.headers.cookie)?.id ?? ''} ${requestsPage(request) ? 'page' : 'any'} ${request.url}`

/** Returns the path of the entry that a page is about, or an empty string. */
const entryPathIn = (key: string) => /(?<= )\/[a-z-]+\/\d+(?=[/?]|$)/.exec(key)?.[0] ?? ''

function send(request: FastifyRequest, reply: FastifyReply, { bytes, etag, headers }: Variant) {
  const all = headers.concat('x-request-id', request.id)
  const known = request.headers['if-none-match']
  reply.hijack()
  if (known !== undefined && matchesEtag(known, etag)) {
    reply.raw.writeHead(304, all).end()
    return
  }
  all.push('content-length', String(bytes.length))
  reply.raw.writeHead(200, all).end(bytes, 'latin1')
}

/** Each encoding needs its own ETag, because its bytes differ (RFC 9110 §8.8.3.3). */
async function variantOf(
  plain: Buffer,
  headers: Record<string, string>,
  encoding: ContentEncoding | undefined,
): Promise<Variant> {
  const bytes =
    encoding === undefined
      ? plain
      : encoding === 'br'
        ? await compressors.br(plain, BROTLI_OPTIONS)
        : await compressors.gzip(plain)
  const etag = etagOf(bytes)
  const named = encoding === undefined ? headers : { ...headers, 'content-encoding': encoding }
  const sent = bytes.length > MAX_STRING_BYTES ? bytes : bytes.toString('latin1')
  return { bytes: sent, etag, headers: Object.entries({ ...named, etag }).flat() }
}
