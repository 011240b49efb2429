import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { asksForPage } from '../http/wire/asks-for-page.ts'
import { etagOf, matchesEtag } from '../http/wire/etag.ts'
import { BROTLI } from '../pages/compress-pages.ts'
import { encodingFor, type ContentEncoding } from '../pages/content-encoding.ts'

/** A page as guests get it: its headers, and its bytes by encoding. */
type KeptPage = {
  headers: Record<string, string>
  etag: string
  plain: Buffer
  compressed: Map<ContentEncoding, Buffer>
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
  async answer(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const page = isGuests(request) ? this.#pages.get(keyOf(request)) : undefined
    if (page) await send(request, reply, page)
    return page !== undefined
  }

  /** Keeps a page and sends it. @param generation when its data were read */
  async keepAndSend(
    request: FastifyRequest,
    reply: FastifyReply,
    { text, headers, generation }: { text: string; headers: Record<string, string>; generation: number },
  ) {
    const plain = Buffer.from(text)
    const page = { headers, etag: etagOf(plain), plain, compressed: new Map<ContentEncoding, Buffer>() }
    if (generation === this.#generation) this.#pages.set(keyOf(request), page)
    await send(request, reply, page)
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

async function send(request: FastifyRequest, reply: FastifyReply, page: KeptPage) {
  const encoding = encodingFor(request.headers['accept-encoding'])
  const etag = encoding === undefined ? page.etag : page.etag.replace(/"$/, `-${encoding}"`)
  const headers = { ...page.headers, etag, 'x-request-id': request.id }
  const known = request.headers['if-none-match']
  const isKnown = known !== undefined && matchesEtag(known, etag)
  const bytes = isKnown || encoding === undefined ? page.plain : await compressed(page, encoding)
  reply.hijack()
  if (isKnown) {
    reply.raw.writeHead(304, headers).end()
    return
  }
  reply.raw
    .writeHead(200, {
      ...headers,
      'content-length': String(bytes.length),
      ...(encoding !== undefined && { 'content-encoding': encoding }),
    })
    .end(bytes)
}

async function compressed({ plain, compressed: made }: KeptPage, encoding: ContentEncoding): Promise<Buffer> {
  const known = made.get(encoding)
  if (known) return known
  const bytes = encoding === 'br' ? await compressors.br(plain, BROTLI) : await compressors.gzip(plain)
  made.set(encoding, bytes)
  return bytes
}
