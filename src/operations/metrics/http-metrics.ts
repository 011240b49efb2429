import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import { ARRIVED, REFUSED_CONNECTION, REFUSED_REQUEST } from '../../http/wire/connections.ts'
import { waitedMs } from '../../http/wire/waiting.ts'
import type { Metrics } from './registry.ts'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Node's diagnostics channel for responses that have been sent. */
const FINISHED = 'http.server.response.finish'

const ROUTE = Symbol('route')

type Route = FastifyContextConfig & { url?: string }
type Marked = IncomingMessage & { [ARRIVED]?: number; [ROUTE]?: Route }
type Observe = (seconds: number) => void

/**
 * Reports the app's requests and connections. A hook marks each request, and one of Node's diagnostics channels reports
 * the response, because a Fastify response hook would cost as much as the rest of a cached response.
 */
export function measureHttp(app: FastifyInstance, metrics: Metrics) {
  const observerFor = metrics.counts('http_server_request_duration_seconds')
  const refused = metrics.counter('http_server_refused_total')
  const throttled = metrics.counter('mokuroku_throttled_total')
  const open = new Set<Socket>()
  const unmatched: Route = {}
  /** Responses to requests that were refused before they were routed, which have no duration. */
  const shed = new WeakSet<ServerResponse>()
  /** Observers by route, method and status, so that no request builds labels. */
  const observers = new Map<Route, Map<string, Observe[]>>()

  function observerOf(route: Route, method: string, status: number): Observe {
    let byMethod = observers.get(route)
    if (!byMethod) observers.set(route, (byMethod = new Map<string, Observe[]>()))
    let byStatus = byMethod.get(method)
    if (!byStatus) byMethod.set(method, (byStatus = []))
    return (byStatus[status] ??= observerFor({
      http_request_method: method,
      http_route: route.url ?? 'unmatched',
      http_response_status_code: String(status),
    }))
  }

  app.addHook('onRequest', (request, _reply, done) => {
    const raw: Marked = request.raw
    raw[ARRIVED] ??= performance.now()
    const { config } = request.routeOptions
    raw[ROUTE] = request.is404 ? unmatched : config
    done()
  })

  const onFinished = (message: unknown) => {
    // as: the message that Node documents
    const { request, response, server } = message as {
      request: Marked
      response: ServerResponse
      server: unknown
    }
    if (server !== app.server || shed.has(response)) return
    const { method = '', [ARRIVED]: arrived, [ROUTE]: route = unmatched } = request
    const { statusCode } = response
    const seconds =
      arrived === undefined ? 0 : (performance.now() - arrived - waitedMs(request)) / 1_000
    observerOf(route, METHODS.has(method) ? method : '_OTHER', statusCode)(seconds)
    if (statusCode === 429) {
      refused.labels('throttle').inc()
      throttled.labels(route.access ?? 'none').inc()
    }
  }
  subscribe(FINISHED, onFinished)
  app.addHook('onClose', async () => {
    unsubscribe(FINISHED, onFinished)
  })

  function forget(this: Socket) {
    open.delete(this)
  }
  app.server.on('connection', (socket) => {
    open.add(socket)
    socket.on('close', forget)
  })
  app.server.on(REFUSED_REQUEST, (response: ServerResponse) => {
    shed.add(response)
    refused.labels('overload').inc()
  })
  app.server.on(REFUSED_CONNECTION, () => refused.labels('connections').inc())
  app.server.on('clientError', () => refused.labels('bad_request').inc())

  metrics.onCollect(() => {
    let active = 0
    for (const socket of open) if (isResponding(socket)) active += 1
    metrics.gauge('http_server_active_requests').set(active)
    metrics.gauge('http_server_connections').labels('active').set(active)
    metrics
      .gauge('http_server_connections')
      .labels('idle')
      .set(open.size - active)
  })
}

/**
 * Whether a request on the connection is waiting for its response. Node keeps the response in this property until then.
 */
const isResponding = (socket: Socket & { _httpMessage?: unknown }) =>
  socket._httpMessage !== undefined && socket._httpMessage !== null
