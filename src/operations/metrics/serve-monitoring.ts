import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { COMMIT, VERSION } from '../../kernel/build-info.ts'
import { isPublicAddress } from '../../kernel/networks.ts'
import { format } from './combine.ts'
import type { Sample } from './registry.ts'

/** Progress of a process. */
export type Startup = {
  state: 'starting' | 'running' | 'stopping'
  /** Name of the migration that is running. */
  migration?: string
}

/**
 * Result of one check, with its duration in milliseconds and further facts. An informational check does not affect the
 * status.
 */
type Check = {
  ok: boolean
  ms?: number
  informative?: boolean
  [fact: string]: string | number | boolean | undefined
}

export type Readiness = { status: 'ok' | 'unavailable'; checks: Record<string, Check> }

/** Source of the responses of the monitoring server. */
export type MonitoringSource = {
  startup(): Startup
  ready(): Promise<Readiness>
  collect(): Promise<Sample[]>
}

type Response = { status: number; type: string; text: string }

/**
 * Time, in milliseconds, for the head of a request, and after which a connection without traffic is closed. Probes would
 * fail if slow clients held every connection.
 */
const TIMEOUTS = { headMs: 5_000, idleMs: 15_000 }

/**
 * Serves `/metrics` and the health checks on their own address, which must not be public. Connections from or to public
 * addresses are closed.
 *
 * @returns a function that stops the server
 */
export async function serveMonitoring(
  { host, port }: { host: string; port: number },
  source: MonitoringSource,
  { headMs, idleMs } = TIMEOUTS,
): Promise<() => Promise<void>> {
  const server = createServer(
    { requestTimeout: 2 * headMs, headersTimeout: headMs, connectionsCheckingInterval: headMs / 5 },
    (request, reply) => {
      void respond(request, source).then(
        (response) => send(request, reply, response),
        () => send(request, reply, { status: 500, type: 'text/plain', text: 'Failed\n' }),
      )
    },
  )
  server.maxConnections = 100
  server.timeout = idleMs
  server.on('connection', (socket: Socket) => {
    if ([socket.localAddress, socket.remoteAddress].some(isPublic)) socket.destroy()
  })
  server.listen({ host, port })
  await once(server, 'listening')
  server.unref()
  return async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
}

/** A dual-stack socket reports IPv4 addresses as IPv4-mapped IPv6 addresses. */
const isPublic = (address = '') => isPublicAddress(address.replace(/^::ffff:/, ''))

async function respond(
  { method, url = '/', headers }: IncomingMessage,
  source: MonitoringSource,
): Promise<Response> {
  if (method !== 'GET' && method !== 'HEAD') return json(405, { status: 'method not allowed' })
  switch (url.split('?', 1)[0]) {
    case '/metrics': {
      const wantsOpenMetrics = headers.accept?.includes('application/openmetrics-text') ?? false
      const formatted = await format(
        await source.collect(),
        wantsOpenMetrics ? 'openmetrics' : 'prometheus',
      )
      return { status: 200, ...formatted }
    }
    case '/health/live':
      return json(200, { status: 'ok', version: VERSION, commit: COMMIT })
    case '/health/startup': {
      const startup = source.startup()
      return json(startup.state === 'starting' ? 503 : 200, startup)
    }
    case '/health/ready': {
      const readiness = await source.ready()
      return json(readiness.status === 'ok' ? 200 : 503, readiness)
    }
    default:
      return json(404, { status: 'not found' })
  }
}

const json = (status: number, body: object): Response => ({
  status,
  type: 'application/json',
  text: `${JSON.stringify(body)}\n`,
})

function send(request: IncomingMessage, reply: ServerResponse, { status, type, text }: Response) {
  reply.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  })
  reply.end(request.method === 'HEAD' ? undefined : text)
}
