import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { asksForPage } from '../http/wire/requests/asks-for-page.ts'
import { etagOf, matchesEtag } from '../http/wire/etag.ts'
import { BROTLI } from '../ui/page/compress-pages.ts'
import { encodingFor, type ContentEncoding } from '../http/wire/content-encoding.ts'
import { pageLanguageOf } from '../ui/page/page-context.ts'
import { chosenTheme } from '../ui/page/theme.ts'

/** The bytes of a page in one encoding, with their headers as `writeHead` takes them without copying. */
type Variant = { bytes: string | Buffer; etag: string; headers: string[] }

/**
 * A text whose characters are the bytes goes out in one write with the headers, where a buffer takes two and 5 µs more. With
 * more than 16 KiB of both Node copies the text into memory of its own for each answer, and a buffer is cheaper.
 */
const LONGEST_TEXT = 15_000

/** A page as guests get it. */
type KeptPage = { plain: Buffer; variants: Map<ContentEncoding | undefined, Variant> }

const MAX_BYTES = 32 * 2 ** 20
/** What else a page shows of readers may be so much older; see `clear` and `invalidate` for what drops one at once. */
const LIFETIME_MS = 30_000

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) }

/**
 * Pages of guests, kept in memory for a moment. Whose browser shows a session never gets one of them, nor has theirs kept; a
 * page with a form has the token of one browser and is not kept either.
 */
export class KeptPages {
  readonly #pages = new LRUCache<string, KeptPage>({
    maxSize: MAX_BYTES,
    ttl: LIFETIME_MS,
    sizeCalculation: ({ plain }) => 2 * plain.length + 1_000,
    dispose: (_page, key) => this.#forget(key),
  })
  /** Of each entry the keys of its pages. */
  readonly #keysOf = new Map<string, Set<string>>()
  /** Rises with each change: a page that was begun before is not kept. */
  #generation = 0

  get generation() {
    return this.#generation
  }

  clear() {
    this.#generation += 1
    this.#pages.clear()
  }

  /** Drops the pages of one entry. @param address of the entry, as `entryAddress` has it */
  invalidate(address: string) {
    this.#generation += 1
    for (const key of this.#keysOf.get(address) ?? []) this.#pages.delete(key)
  }

  #forget(key: string) {
    const address = entryIn(key)
    const keys = this.#keysOf.get(address)
    keys?.delete(key)
    if (keys?.size === 0) this.#keysOf.delete(address)
  }

  /** Answers with the page that is kept for this request. @returns whether there was one */
  answer(request: FastifyRequest, reply: FastifyReply): boolean {
    const page = isGuestsUntilNow(request) ? this.#pages.get(keyOf(request)) : undefined
    const variant = page?.variants.get(encodingFor(request.headers['accept-encoding']))
    if (variant) send(request, reply, variant)
    return variant !== undefined
  }

  /** Keeps a page and sends it. @param generation when its data were read */
  async keepAndSend(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      text,
      headers,
      generation,
    }: { text: string; headers: Record<string, string>; generation: number },
  ) {
    const key = keyOf(request)
    const plain = Buffer.from(text)
    const encoding = encodingFor(request.headers['accept-encoding'])
    const variant = await variantOf(plain, headers, encoding)
    if (generation === this.#generation) {
      const known = this.#pages.get(key)
      const variants = known?.plain.equals(plain)
        ? known.variants
        : new Map<ContentEncoding | undefined, Variant>()
      variants.set(encoding, variant)
      this.#pages.set(key, { plain, variants })
      const address = entryIn(key)
      if (address && this.#pages.has(key))
        this.#keysOf.getOrInsertComputed(address, () => new Set()).add(key)
    }
    send(request, reply, variant)
  }
}

/** Whether the page of this request is the same for everybody who is not signed in. */
export const isGuests = (request: FastifyRequest) =>
  isRead(request) && request.page.reader === undefined && !request.page.tokenIsUsed()

/** The same before the page is begun, without its context: who sends no cookie is nobody. */
const isGuestsUntilNow = (request: FastifyRequest) =>
  request.headers.cookie === undefined ? isRead(request) : isGuests(request)

const isRead = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'

/** Home is a page only for who asks for one. */
const keyOf = (request: FastifyRequest) =>
  `${pageLanguageOf(request)} ${chosenTheme(request.headers.cookie)} ${asksForPage(request) ? 'page' : 'any'} ${request.url}`

/** The address of the entry that a page is about; empty: of none. */
const entryIn = (key: string) => /(?<= )\/[a-z-]+\/\d+(?=[/?]|$)/.exec(key)?.[0] ?? ''

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

/** The bytes of each encoding have an ETag of their own (RFC 9110 §8.8.3.3). */
async function variantOf(
  plain: Buffer,
  headers: Record<string, string>,
  encoding: ContentEncoding | undefined,
): Promise<Variant> {
  const bytes =
    encoding === undefined
      ? plain
      : encoding === 'br'
        ? await compressors.br(plain, BROTLI)
        : await compressors.gzip(plain)
  const etag = etagOf(bytes)
  const named = encoding === undefined ? headers : { ...headers, 'content-encoding': encoding }
  const sent = bytes.length > LONGEST_TEXT ? bytes : bytes.toString('latin1')
  return { bytes: sent, etag, headers: Object.entries({ ...named, etag }).flat() }
}
