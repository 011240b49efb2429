import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { ObservedPool, WaitCounter } from '../../db/observer.ts'
import { ARRIVED, REFUSED_REQUEST } from '../../http/wire/connections.ts'
import { envelopeEnd, failureEnvelope } from '../../http/wire/errors/envelope.ts'
import { unavailable } from '../../http/wire/errors/refusals.ts'
import { Limiter } from './limiter.ts'

/** Statements per database connection that wait for it while further requests are started. */
const WAITING_PER_CONNECTION = 3

/** Interval, in milliseconds, at which waiting requests are looked at while nothing else happens. */
const TICK_MS = 50

/** Interval, in milliseconds, at which refusals are logged. */
const LOG_MS = 10_000

/** Paths of health checks are always admitted, so that an overloaded service is not restarted. */
const HEALTH = '/health/'

type Options = { poolSize: number; log: Pick<Logger, 'warn'> }
type Exchange = { request: IncomingMessage & { [ARRIVED]?: number }; response: ServerResponse }

export type OverloadProtection = ReturnType<typeof protectFromOverload>

/** Refuses requests that an overloaded process could not serve in time. */
export function protectFromOverload({ poolSize, log }: Options) {
  /** Runs a function outside of the request that made room, whose deadline and span belong to it alone. */
  const outside = AsyncLocalStorage.snapshot()
  let start = (_exchange: Exchange) => {}
  let refuse = (_exchange: Exchange) => {}
  /** Number of statements that wait for a connection, per pool. */
  const waits: { count: number }[] = []
  const limiter = new Limiter<Exchange>({
    maxWaiting: poolSize * WAITING_PER_CONNECTION,
    // Not the sum: two half-full pools can still serve requests.
    waiting: () => Math.max(0, ...waits.map(({ count }) => count)),
    start(exchange, since) {
      if (since !== undefined) exchange.request[ARRIVED] = since
      start(exchange)
    },
    refuse: (exchange) => refuse(exchange),
    isGone: ({ request }) => request.destroyed || request.socket.destroyed,
    nextTurn: (run) => void setImmediate(() => outside(run)),
  })
  /** Connections that have sent a request before. */
  const known = new WeakSet<Socket>()
  let unlogged = 0
  let loggedAt = -Infinity

  function tick() {
    limiter.update()
    const now = performance.now()
    if (unlogged === 0 || now - loggedAt < LOG_MS) return
    log.warn({ count: unlogged, waiting: limiter.length }, 'Overloaded: refusing requests')
    unlogged = 0
    loggedAt = now
  }
  const ticking = setInterval(tick, TICK_MS).unref()

  /** Opens a counter for a pool. The fullest pool decides whether further requests are started. */
  function countWaits(): WaitCounter {
    const pool = { count: 0 }
    waits.push(pool)
    return async (connect) => {
      pool.count += 1
      try {
        return await connect()
      } finally {
        pool.count -= 1
        limiter.wake()
      }
    }
  }

  return {
    countWaits,
    /** Counts the statements and transactions that wait for a connection. */
    watchPool(pool: Pick<ObservedPool, 'connect'>) {
      const counted = countWaits()
      const connect = pool.connect.bind(pool)
      pool.connect = () => counted(connect)
    },
    /**
     * Limits the requests to the server before they are routed.
     *
     * @param isWarm whether the response is in memory; such requests are started at once
     */
    limit(
      server: Server,
      isWarm: (request: IncomingMessage) => boolean,
      nextRequestId: (request: IncomingMessage) => string,
    ) {
      const listeners = server.listeners('request')
      const respond = refuser()
      start = ({ request, response }) => {
        for (const listener of listeners) listener.call(server, request, response)
      }
      refuse = ({ request, response }) => {
        unlogged += 1
        server.emit(REFUSED_REQUEST, response)
        respond(request, response, nextRequestId(request))
      }
      server.removeAllListeners('request')
      server.on('request', (request: IncomingMessage, response: ServerResponse) => {
        const exchange = { request, response }
        if (request.url?.startsWith(HEALTH) || isWarm(request)) start(exchange)
        else if (known.has(request.socket)) limiter.add(exchange)
        else {
          known.add(request.socket)
          afterNextRead(() => limiter.add(exchange))
        }
      })
    },
    stop: () => clearInterval(ticking),
  }
}

/**
 * Runs a function once everything that a connection has received is read. A client that gave up while its connection
 * waited to be accepted has sent a request and closed the connection; the close is read one turn after the request.
 */
const afterNextRead = (run: () => void) => void setImmediate(() => setImmediate(run))

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
    const length = String(Buffer.byteLength(body, 'latin1'))
    response.writeHead(status, [...common, 'content-length', length, 'x-request-id', requestId])
    response.end(method === 'HEAD' ? undefined : body, 'latin1')
  }
}
