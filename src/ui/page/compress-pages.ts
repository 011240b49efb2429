import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { encodingFor } from '../../http/wire/content-encoding.ts'

/** Smaller responses fit into one packet uncompressed. */
const MIN_BYTES = 1_200
/** Brotli's lower levels take as long as gzip and compress less. */
export const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) }

/**
 * Compresses the HTML of a scope. The only secret in a page is its CSRF token, which differs in
 * every response, so the compressed length reveals nothing about it.
 */
export function compressPages(app: FastifyInstance) {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < MIN_BYTES) return payload
    if (!String(reply.getHeader('content-type')).startsWith('text/html')) return payload
    void reply.header('vary', 'Accept-Encoding')
    const encoding = encodingFor(request.headers['accept-encoding'])
    if (encoding === undefined) return payload
    void reply.header('content-encoding', encoding)
    return encoding === 'br' ? compressors.br(payload, BROTLI_OPTIONS) : compressors.gzip(payload)
  })
}
