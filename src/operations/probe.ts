import { createHmac } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isSameSecret } from '../kernel/opaque-tokens.ts'
import { sendEnvelope } from '../http/wire/errors/send-envelope.ts'

/** Path of the probe. Without a valid token, it responds like a path that does not exist. */
export const PROBE_PATH = '/health/probe'

/** Header with the token of the probe. */
export const PROBE_HEADER = 'mokuroku-probe'

/** Entry of `X-Forwarded-For` that the probe sends. Proxies append to it. The address is reserved for documentation. */
export const PROBE_ADDRESS = '192.0.2.35'

/** Maximum size of a probe's body, in bytes. */
const MAX_PROBE_BYTES = 8 * 2 ** 20

/** Time, in milliseconds, for which a token is valid, before and after it was created. */
const TOKEN_MS = 60_000

/** Response to a probe: which parts of the request arrived here. */
export type ProbeResult = {
  /** Number of proxies that appended to `X-Forwarded-For`. */
  hops: number
  /** Bytes of the body. */
  bytes: number
}

/**
 * Returns a token for a probe.
 *
 * @param key secret that all processes of the installation share
 */
export const createProbeToken = (key: string, now = Date.now()): string =>
  `${now}.${sign(key, now)}`

const sign = (key: string, at: number) =>
  createHmac('sha256', key).update(`probe ${at}`).digest('base64url')

function isProbeToken(key: string, token: unknown, now = Date.now()): boolean {
  const [at = '', signature = ''] = String(token).split('.')
  if (!/^\d{1,15}$/.test(at) || Math.abs(now - Number(at)) > TOKEN_MS) return false
  return isSameSecret(signature, sign(key, Number(at)))
}

/** Registers the path with which `mokuroku doctor` tests the proxies in front of the service. */
export async function probe(app: FastifyInstance, { key }: { key: string }) {
  app.addContentTypeParser(
    'application/octet-stream',
    { parseAs: 'buffer', bodyLimit: MAX_PROBE_BYTES },
    (_request, body, done) => done(null, body),
  )
  app.post(
    PROBE_PATH,
    {
      config: { access: 'public' },
      schema: { hide: true },
      bodyLimit: MAX_PROBE_BYTES,
      onRequest: (request, reply, done) => {
        if (isProbeToken(key, request.headers[PROBE_HEADER])) done()
        else reply.callNotFound()
      },
    },
    (request, reply) => {
      const result: ProbeResult = {
        hops: countHops(request),
        bytes: Buffer.isBuffer(request.body) ? request.body.length : 0,
      }
      return sendEnvelope(request, reply, result)
    },
  )
}

/** Counts the entries after that of the probe. A proxy that replaces the header leaves only its own. */
function countHops({ headers }: FastifyRequest): number {
  const entries = [headers['x-forwarded-for'] ?? []]
    .flat()
    .flatMap((value) => value.split(','))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  return entries.length - entries.lastIndexOf(PROBE_ADDRESS) - 1
}
