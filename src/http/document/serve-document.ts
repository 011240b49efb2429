import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { encodingFor, type ContentEncoding } from '../wire/content-encoding.ts'
import { etagOf, matchesEtag } from '../wire/etag.ts'
import { API_HEADERS, PREFLIGHT_HEADERS } from '../wire/errors/headers.ts'

type Encoding = ContentEncoding | 'identity'
type Encoded = { bytes: Buffer; etag: string }

const ENCODERS: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: promisify<Buffer, Buffer>(brotliCompress),
  gzip: promisify<Buffer, Buffer>(gzip),
  identity: (bytes) => Promise.resolve(bytes),
}

/**
 * Serves the OpenAPI document at `/openapi.json`, in the best encoding that the client accepts. Each encoding is
 * created on its first request, because generating the document takes longer than the rest of the startup.
 */
export function serveDocument(app: FastifyInstance) {
  const encoded = new Map<Encoding, Promise<Encoded>>()

  async function encode(encoding: Encoding): Promise<Encoded> {
    const bytes = await ENCODERS[encoding](Buffer.from(JSON.stringify(app.swagger())))
    return { bytes, etag: etagOf(bytes) }
  }

  const open = { config: { access: 'public' }, schema: { hide: true } } as const
  // For pages that send their token with every request.
  app.options('/openapi.json', open, (_request, reply) =>
    reply.status(204).headers(PREFLIGHT_HEADERS).send(),
  )
  app.get('/openapi.json', open, async (request, reply) => {
    const encoding = encodingFor(request.headers['accept-encoding']) ?? 'identity'
    const making = encoded.get(encoding) ?? encode(encoding)
    encoded.set(encoding, making)
    const { bytes, etag } = await making
    void reply.headers({
      ...API_HEADERS,
      etag,
      vary: 'Accept-Encoding',
      'cache-control': 'no-cache',
    })
    const known = request.headers['if-none-match']
    if (known !== undefined && matchesEtag(known, etag)) return reply.status(304).send()
    if (encoding !== 'identity') void reply.header('content-encoding', encoding)
    return reply.type('application/json; charset=utf-8').send(bytes)
  })
}
