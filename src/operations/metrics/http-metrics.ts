import type { FastifyInstance } from 'fastify'
import { REFUSED_CONNECTION } from '../../http/wire/connections.ts'
import type { Metrics } from './registry.ts'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

type Observe = (seconds: number) => void

/** Reports requests and connections of the app. Call it before the app has routes. */
export function measureHttp(app: FastifyInstance, metrics: Metrics) {
  const durations = metrics.histogram('http_server_request_duration_seconds')
  const refused = metrics.counter('http_server_refused_total')
  const throttled = metrics.counter('mokuroku_throttled_total')
  const active = metrics.gauge('http_server_active_requests')
  /** Observers by route template, method and status, so that no request builds labels. */
  const observers = new Map<string, Map<string, Observe[]>>()
  let activeRequests = 0
  let connections = 0

  function observerOf(route: string, method: string, status: number): Observe {
    let byMethod = observers.get(route)
    if (!byMethod) observers.set(route, (byMethod = new Map<string, Observe[]>()))
    let byStatus = byMethod.get(method)
    if (!byStatus) byMethod.set(method, (byStatus = []))
    return (byStatus[status] ??= observerFor(route, method, status))
  }

  function observerFor(route: string, method: string, status: number): Observe {
    const histogram = durations.labels(method, route, String(status))
    return (seconds) => histogram.observe(seconds)
  }

  app.addHook('onRequest', (_request, _reply, done) => {
    activeRequests += 1
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    activeRequests -= 1
    const { url, config } = request.routeOptions
    const { statusCode } = reply.raw
    const method = METHODS.has(request.method) ? request.method : '_OTHER'
    observerOf(url ?? 'unmatched', method, statusCode)(reply.elapsedTime / 1_000)
    if (statusCode === 429) {
      refused.labels('throttle').inc()
      throttled.labels(config.access ?? 'none').inc()
    }
    done()
  })
  app.server.on('connection', (socket) => {
    connections += 1
    socket.once('close', () => (connections -= 1))
  })
  app.server.on(REFUSED_CONNECTION, () => refused.labels('connections').inc())
  app.server.on('clientError', () => refused.labels('bad_request').inc())

  metrics.onCollect(() => {
    active.set(activeRequests)
    const busy = Math.min(activeRequests, connections)
    metrics.gauge('http_server_connections').labels('active').set(busy)
    metrics
      .gauge('http_server_connections')
      .labels('idle')
      .set(connections - busy)
  })
}
