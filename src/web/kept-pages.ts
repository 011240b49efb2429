import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { asksForPage } from '../http/wire/asks-for-page.ts'
import { etagOf, matchesEtag } from '../http/wire/etag.ts'
import { BROTLI } from '../pages/compress-pages.ts'
import { encodingFor, type ContentEncoding } from '../pages/content-encoding.ts'

/**
 * The bytes of a page in one encoding, with their headers as `writeHead` takes them without copying. A text whose
 * characters are the bytes goes out in one write with the headers; a buffer takes two.
 */
type Variant = { bytes: string; etag: string; headers: string[] }

/** A page as guests get it. */
type KeptPage = {
  plain: Buffer
  variants: Map<ContentEncoding | undefined, Variant>
}

const MAX_BYTES = 32 * 2 ** 20
/** Readers and scores may be so much older than what the API says; a change of the catalog drops all. */
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
  })
  /** Rises with each change of the catalog: a page that was begun before is not kept. */
  #generation = 0

  get generation() {
    return this.#generation
  }

  clear() {
    this.#generation += 1
    this.#pages.clear()
  }

  /** Answers with the page that is kept for this request. @returns whether there was one */
  answer(request: FastifyRequest, reply: FastifyReply): boolean {
    const page = isGuests(request) ? this.#pages.get(keyOf(request)) : undefined
    const variant = page?.variants.get(encodingFor(request.headers['accept-encoding']))
    if (variant) send(request, reply, variant)
    return variant !== undefined
  }

  /** Keeps a page and sends it. @param generation when its data were read */
  async keepAndSend(
    request: FastifyRequest,
    reply: FastifyReply,
    { text, headers, generation }: { text: string; headers: Record<string, string>; generation: number },
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
    }
    send(request, reply, variant)
  }
}

/** Whether the page of this request is the same for everybody who is not signed in. */
export const isGuests = ({ method, page }: FastifyRequest) =>
  (method === 'GET' || method === 'HEAD') && page.reader === undefined && !page.tokenIsUsed()

/** Home is a page only for who asks for one. */
const keyOf = (request: FastifyRequest) => {
  const { language, theme } = request.page
  return `${language} ${theme} ${asksForPage(request) ? 'page' : 'any'} ${request.url}`
}

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
  return { bytes: bytes.toString('latin1'), etag, headers: Object.entries({ ...named, etag }).flat() }
}
