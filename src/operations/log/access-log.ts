import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pino, type Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { loggedPath } from '../../http/wire/addresses/logged-path.ts'
import { MAX_BUFFERED_LOG_BYTES } from './log.ts'

const SENT_BEFORE = Symbol('bytes sent before')

export const TRACE_ID = Symbol('trace id')

declare module 'fastify' {
  interface FastifyRequest {
    /** Trace id of the request; undefined without tracing. */
    [TRACE_ID]?: string
    /** Bytes that the connection had sent before the current response. */
    [SENT_BEFORE]: number
  }
}

/** Interval, in milliseconds, at which buffered lines are written. */
const FLUSH_MS = 1_000

export type AccessLog = {
  /** Logs the requests of an app. */
  watch(app: FastifyInstance): void
  /** Reopens the file after it was renamed. Keeps the old file open if that fails. */
  reopen(): void
  /** Writes the buffered lines. */
  close(): Promise<void>
}

/** Opens the access log that the settings name, if any. */
export function openAccessLog(
  {
    accessLog,
    accessLogFormat,
    accessLogSample,
  }: Pick<Config, 'accessLog' | 'accessLogFormat' | 'accessLogSample'>,
  log: Logger,
): AccessLog | undefined {
  if (accessLog === 'off') return undefined
  const stream = accessLog === 'log' ? undefined : openStream(accessLog, log)
  const format = accessLogFormat === 'json' ? toJson : toCombined
  let successes = 0

  function write(request: FastifyRequest, reply: FastifyReply) {
    const { statusCode } = reply.raw
    if (statusCode >= 200 && statusCode < 300 && successes++ % accessLogSample > 0) return
    if (stream) stream.write(format(request, reply))
    else log.info(factsOf(request, reply))
  }

  return {
    watch(app) {
      app.decorateRequest(SENT_BEFORE, 0)
      app.addHook('onRequest', (request, _reply, done) => {
        request[SENT_BEFORE] = request.socket.bytesWritten
        done()
      })
      app.addHook('onResponse', (request, reply, done) => {
        write(request, reply)
        done()
      })
    },
    reopen: () => stream?.reopen(),
    close: async () => stream?.end(),
  }
}

/**
 * Opens a stream of lines. Failures never reach the requests: lines beyond the buffer are dropped, and the log reports
 * the failure once until a write succeeds.
 */
function openStream(path: string, log: Logger) {
  let isFailing = false
  const open = () =>
    pino
      .destination({
        dest: path === 'stdout' ? 1 : path,
        sync: false,
        mkdir: true,
        mode: 0o640,
        periodicFlush: FLUSH_MS,
        maxLength: MAX_BUFFERED_LOG_BYTES,
      })
      .on('write', () => (isFailing = false))
      .on('error', (err: unknown) => {
        if (!isFailing) log.warn({ err, path }, 'The access log cannot be written: dropping lines')
        isFailing = true
      })
  let current = open()
  return {
    write: (line: string) => void current.write(line),
    reopen() {
      if (path === 'stdout') return
      const next = open()
      next.once('ready', () => {
        current.end()
        current = next
      })
    },
    async end() {
      const closed = new Promise((resolve) => current.once('close', resolve).once('error', resolve))
      current.end()
      await Promise.race([closed, sleep(FLUSH_MS, undefined, { ref: false })])
      // A stream that cannot write would retry forever.
      current.destroy()
    },
  }
}

/**
 * Facts of one request. `bytes` includes the response headers. Queries, other headers and some paths may hold secrets
 * and are omitted.
 */
const factsOf = (request: FastifyRequest, reply: FastifyReply) => ({
  request_id: request.id,
  address: request.ip,
  user_agent: request.headers['user-agent'],
  method: request.method,
  path: loggedPath(request.url),
  route: request.routeOptions.url,
  status: reply.raw.statusCode,
  bytes: request.socket.bytesWritten - request[SENT_BEFORE],
  ms: Math.round(reply.elapsedTime * 10) / 10,
  client_id: request.caller?.clientId || undefined,
  trace_id: request[TRACE_ID],
})

const toJson = (request: FastifyRequest, reply: FastifyReply) =>
  `${JSON.stringify({ time: new Date().toISOString(), ...factsOf(request, reply) })}\n`

/** Apache's combined format. The client ID is the user, and the referrer is omitted, since it may hold a query. */
function toCombined(request: FastifyRequest, reply: FastifyReply) {
  const { address, client_id, method, path, status, bytes, user_agent } = factsOf(request, reply)
  const line = quote(`${method} ${path} HTTP/${request.raw.httpVersion}`)
  return `${address} - ${client_id ?? '-'} [${apacheTime(new Date())}] ${line} ${status} ${bytes} "-" ${quote(user_agent ?? '-')}\n`
}

/** Quotes text that the client chose, so that the text cannot end the field or the line. */
const quote = (text: string) => JSON.stringify(text)

/** Formats a time as `10/Oct/2000:13:55:36 +0000`. */
function apacheTime(time: Date) {
  const [, day, month, year, clock] =
    /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(time.toUTCString()) ?? []
  return `${day}/${month}/${year}:${clock} +0000`
}
