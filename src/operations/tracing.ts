import { setTimeout as sleep } from 'node:timers/promises'
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { DatabaseObserver } from '../db/observer.ts'
import { statementNameOf } from '../db/statement.ts'
import { errorCode } from '../kernel/error-code.ts'
import {
  TASK_RUNS,
  traceContext,
  type TaskRun,
  type TraceContext,
} from '../kernel/async/trace-task.ts'
import { TRACE_ID } from './log/access-log.ts'

/** Time, in milliseconds, that the collector has for one batch, and that the last batch has at shutdown. */
const EXPORT_TIMEOUT_MS = 10_000
const SHUTDOWN_MS = 1_000

/** Header of the W3C. Version, trace id, span id and flags. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/

const SPAN = Symbol('span')

declare module 'fastify' {
  interface FastifyRequest {
    [SPAN]?: Span
  }
}

type Active = TraceContext & { context: Context }

export type Tracing = {
  watchApp(app: FastifyInstance): void
  onStatement: DatabaseObserver['onStatement']
  /** Sends the last spans. */
  close(): Promise<void>
}

/**
 * Sends a span per request, statement and run of a task to a collector. A collector that does not respond costs spans,
 * never requests: they wait in a bounded queue.
 */
export function openTracing(
  { otlpEndpoint = '', otelServiceName, otelSampleRatio, trustedProxies }: Config,
  version: string,
  log: Logger,
): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${otlpEndpoint.replace(/\/$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': otelServiceName,
      'service.version': version,
      'process.pid': process.pid,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(otelSampleRatio) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reportingFailures(exporter, log),
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  })
  const tracer = provider.getTracer('mokuroku', version)
  const activeContext = () => (traceContext.getStore() as Active | undefined)?.context

  function activate(span: Span): Active {
    const context = trace.setSpan(ROOT_CONTEXT, span)
    return { trace_id: span.spanContext().traceId, context }
  }

  const spansOfTasks = new WeakMap<object, Span>()
  TASK_RUNS.start.bindStore(traceContext, (run) => {
    const span = tracer.startSpan(`task ${run.name}`, {}, ROOT_CONTEXT)
    spansOfTasks.set(run, span)
    return activate(span)
  })
  const onTask = {
    error: (run: TaskRun) => fail(spansOfTasks.get(run), run.error),
    asyncEnd: (run: TaskRun) => spansOfTasks.get(run)?.end(),
  }
  TASK_RUNS.subscribe(onTask)

  return {
    watchApp(app) {
      app.addHook('onRequest', (request, _reply, done) => {
        const given = trustedProxies > 0 ? request.headers['traceparent'] : undefined
        const span = tracer.startSpan(
          request.method,
          { kind: SpanKind.SERVER },
          parentOf(typeof given === 'string' ? given : ''),
        )
        request[SPAN] = span
        const active = activate(span)
        request[TRACE_ID] = active.trace_id
        traceContext.run(active, done)
      })
      app.addHook('onResponse', (request, reply, done) => {
        const span = request[SPAN]
        const route = request.routeOptions.url
        const { statusCode } = reply.raw
        if (route !== undefined) span?.updateName(`${request.method} ${route}`)
        span?.setAttributes({
          'http.request.method': request.method,
          'http.response.status_code': statusCode,
          ...(route !== undefined && { 'http.route': route }),
          'mokuroku.request_id': request.id,
        })
        if (statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
        span?.end()
        done()
      })
    },
    onStatement(event) {
      const parent = activeContext()
      // Polls between requests would be traces of their own.
      if (!parent) return
      const [, operation = 'query'] = /^\s*(\w+)/.exec(event.query.sql) ?? []
      const end = performance.timeOrigin + performance.now()
      const span = tracer.startSpan(
        statementNameOf(event.query.sql) ?? operation.toLowerCase(),
        {
          kind: SpanKind.CLIENT,
          startTime: end - event.queryDurationMillis,
          attributes: { 'db.system.name': 'postgresql' },
        },
        parent,
      )
      if (event.level === 'error') fail(span, event.error)
      span.end(end)
    },
    async close() {
      TASK_RUNS.unsubscribe(onTask)
      TASK_RUNS.start.unbindStore(traceContext)
      await Promise.race([
        provider.shutdown().catch(() => {}),
        sleep(SHUTDOWN_MS, undefined, { ref: false }),
      ])
    },
  }
}

/** Marks a span as failed, with the code of the error only: its message may quote values. */
function fail(span: Span | undefined, error: unknown) {
  span?.setStatus({ code: SpanStatusCode.ERROR })
  span?.setAttribute('error.type', errorCode(error) ?? 'error')
}

/** Returns the context of a `traceparent` header; that of a new trace if the header is missing or malformed. */
function parentOf(header: string): Context {
  const [, traceId, spanId, flags = ''] = TRACEPARENT.exec(header) ?? []
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT
  const traceFlags = Number.parseInt(flags, 16) & 1
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

/** Logs once that spans cannot be sent, until they can. */
function reportingFailures(exporter: SpanExporter, log: Logger): SpanExporter {
  let isFailing = false
  return {
    export: (spans, onResult) =>
      exporter.export(spans, (result) => {
        if (result.error && !isFailing)
          log.warn({ err: result.error }, 'The collector does not accept traces: dropping them')
        isFailing = result.error !== undefined
        onResult(result)
      }),
    shutdown: () => exporter.shutdown(),
  }
}
