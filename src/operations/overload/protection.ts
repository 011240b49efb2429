import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { ObservedPool } from '../../db/observer.ts'
import { REFUSED_REQUEST } from '../../http/wire/connections.ts'
import { envelopeEnd, failureEnvelope } from '../../http/wire/errors/envelope.ts'
import { unavailable } from '../../http/wire/errors/refusals.ts'
import { Limiter, TICK_MS } from './limiter.ts'

/** Requests in work per database connection that are always admitted. */
const MIN_PER_CONNECTION = 4

/** Interval, in milliseconds, at which refusals are logged. */
const LOG_MS = 10_000

/** Paths of health checks are always admitted, so that an overloaded service is not restarted. */
const HEALTH = '/health/'

type Options = { poolSize: number; log: Pick<Logger, 'warn'> }

export type OverloadProtection = ReturnType<typeof protectFromOverload>

/**
 * Refuses requests that an overloaded process could not serve in time. A process is overloaded while its event loop is
 * late, or requests wait too long for a database connection.
 */
export function protectFromOverload({ poolSize, log }: Options) {
  const limiter = new Limiter(poolSize * MIN_PER_CONNECTION)
  const refuse = refuser()
  /** Start times of the waits for a database connection, the oldest first. */
  const waits = new Set<{ since: number }>()
  let expectedAt = performance.now() + TICK_MS
  let unlogged = 0
  let loggedAt = -Infinity

  function tick() {
    const now = performance.now()
    const [oldest] = waits
    limiter.tick({ lagMs: now - expectedAt, queueMs: oldest ? now - oldest.since : 0 })
    expectedAt = now + TICK_MS
    if (unlogged === 0 || now - loggedAt < LOG_MS) return
    log.warn({ count: unlogged, limit: Math.round(limiter.limit) }, 'Overloaded: refusing requests')
    unlogged = 0
    loggedAt = now
  }
  const ticking = setInterval(tick, TICK_MS).unref()

  return {
    /** Measures how long statements and transactions wait for a connection. */
    watchPool(pool: ObservedPool) {
      const connect = pool.connect.bind(pool)
      pool.connect = async () => {
        const wait = { since: performance.now() }
        waits.add(wait)
        try {
          return await connect()
        } finally {
          waits.delete(wait)
        }
      }
    },
    /**
     * Refuses requests to the server before they are routed.
     *
     * @param isWarm whether the response is in memory; such requests are admitted unless the event loop is late
     */
    limit(
      server: Server,
      isWarm: (request: IncomingMessage) => boolean,
      nextRequestId: (request: IncomingMessage) => string,
    ) {
      const listeners = server.listeners('request')
      server.removeAllListeners('request')
      const isExempt = (request: IncomingMessage) =>
        request.url?.startsWith(HEALTH) || (!limiter.isLagging && isWarm(request))
      server.on('request', (request: IncomingMessage, response: ServerResponse) => {
        if (!limiter.admits() && !isExempt(request)) {
          limiter.refuse()
          unlogged += 1
          server.emit(REFUSED_REQUEST, response)
          refuse(request, response, nextRequestId(request))
          return
        }
        const bucket = limiter.begin()
        response.once('close', () => limiter.end(bucket))
        for (const listener of listeners) listener.call(server, request, response)
      })
    },
    stop: () => clearInterval(ticking),
  }
}

/** Creates a function that refuses a request. Everything but its id and the time is formatted once. */
function refuser() {
  const refusal = unavailable()
  const { status, headers } = refusal
  const { success, error } = failureEnvelope(refusal, '')
  const start = JSON.stringify({ success, error }).slice(0, -1)
  const common = Object.entries({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...headers,
  }).flat()
  return ({ method }: IncomingMessage, response: ServerResponse, requestId: string) => {
    const body = start + envelopeEnd(requestId)
    const length = String(Buffer.byteLength(body))
    response.writeHead(status, [...common, 'content-length', length, 'x-request-id', requestId])
    response.end(method === 'HEAD' ? undefined : body)
  }
}
