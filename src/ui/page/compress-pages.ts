import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { encodingFor } from '../../http/wire/content-encoding.ts'

/** A smaller answer fits into one packet as it is. */
const MIN_BYTES = 1_200
/** Brotli's first levels take as long as gzip and make less of it. */
export const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) }

/**
 * Compresses the HTML of a scope. What is secret in a page is the token of its forms, which is another text each time, so that
 * the length of an answer tells nothing of it.
 */
export function compressPages(app: FastifyInstance) {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < MIN_BYTES) return payload
    if (!String(reply.getHeader('content-type')).startsWith('text/html')) return payload
    void reply.header('vary', 'Accept-Encoding')
    const encoding = encodingFor(request.headers['accept-encoding'])
    if (encoding === undefined) return payload
    void reply.header('content-encoding', encoding)
    return encoding === 'br' ? compressors.br(payload, BROTLI) : compressors.gzip(payload)
  })
}
