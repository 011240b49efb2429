import { subscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'
import { NEW_EVENTS } from '../../audit/events.ts'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import type { Replicas } from '../../db/replicas/open-replicas.ts'
import { requireWritable } from '../../db/server/require-writable.ts'
import { withinOneDeadline } from '../../db/server/deadlines.ts'
import type { Signals } from '../../db/upkeep/signals.ts'
import { warnUnprotected } from '../warn-unprotected.ts'
import { measureDatabase } from './database-metrics.ts'
import { measureHttp } from './http-metrics.ts'
import { measureReplicas } from './replica-metrics.ts'
import { measureProcess } from './process-metrics.ts'
import { openMetrics } from './registry.ts'
import type { MonitoringSource, Readiness, Startup } from './serve-monitoring.ts'
import { measureState, type Lags } from './state-metrics.ts'
import { findLastMigration, hasMigration } from './state-queries.ts'
import { METRICS } from './table.ts'

/** Deadline, in milliseconds, of the checks of the database, so that an orchestrator gets a response. */
const CHECK_DEADLINE_MS = 1_900

const GRANTS = new Set<string>(METRICS.mokuroku_tokens_issued_total.labels.grant)
const SIGN_INS = new Map([
  ['sign_in', 'success'],
  ['sign_in_failed', 'failure'],
])

type Parts = {
  db: Database
  config: Config
  signals: Signals
  elected: Promise<void>
  isRedisThere: (() => boolean) | undefined
  replicas: Pick<Replicas, 'states' | 'counts'>
}

type Cache = { size: { bytes: number; hits: number; misses: number } }

export type Monitor = ReturnType<typeof openMonitor>

/** Creates the metrics and health checks of one process. The parts of the service report to it. */
export function openMonitor() {
  const metrics = openMetrics()
  measureProcess(metrics)
  let startup: Startup = { state: 'starting' }
  let notify: (startup: Startup) => void = () => {}
  function setStartup(next: Startup) {
    startup = next
    notify(next)
  }
  let parts: Parts | undefined
  let lastMigration: string | undefined
  let lags: () => Lags | undefined = () => undefined

  const tokens = metrics.counter('mokuroku_tokens_issued_total')
  const pictures = metrics.counter('mokuroku_pictures_total')
  const bucketRequests = metrics.counter('mokuroku_bucket_requests_total')
  const webhooks = metrics.counter('mokuroku_webhook_attempts_total')
  const signIns = metrics.counter('mokuroku_sign_ins_total')
  subscribe(NEW_EVENTS.name, (kind) => {
    const outcome = SIGN_INS.get(String(kind))
    if (outcome !== undefined) signIns.labels(outcome).inc()
  })

  async function measureWhenElected({ elected, ...rest }: Parts) {
    await elected
    lags = measureState(metrics, { ...rest, isRunning: () => startup.state === 'running' })
  }

  async function ready(): Promise<Readiness> {
    const checks: Readiness['checks'] = { startup: { ok: startup.state === 'running', ...startup } }
    if (parts) {
      const { db, isRedisThere, replicas } = parts
      checks.database = await timed(() => requireWritable(db))
      checks.schema = await timed(async () => {
        if (lastMigration !== undefined && !(await hasMigration(db, lastMigration)))
          throw new Error(`The database lacks migration ${lastMigration}`)
      })
      for (const { name, fault } of replicas.states())
        checks[`replica ${name}`] = {
          ok: fault === undefined,
          informative: true,
          ...(fault && { fault }),
        }
      if (isRedisThere) checks.redis = { ok: isRedisThere(), informative: true }
    }
    const found = lags()
    if (found) {
      const { mails, ...seconds } = found
      checks.mail = { ok: mails.failed === 0, informative: true, ...mails }
      checks.lag = { ok: true, informative: true, ...seconds }
    }
    const isReady =
      parts !== undefined && Object.values(checks).every(({ ok, informative }) => ok || informative)
    return { status: isReady ? 'ok' : 'unavailable', checks }
  }

  return {
    metrics,
    database: measureDatabase(metrics),
    onMigration(migration: string) {
      setStartup({ state: 'starting', migration })
    },
    onTokens(grant: string) {
      const name = grant.split(':').at(-1) ?? ''
      if (GRANTS.has(name)) tokens.labels(name).inc()
    },
    onPicture: (outcome: (typeof METRICS.mokuroku_pictures_total.labels.outcome)[number]) =>
      pictures.labels(outcome).inc(),
    onBucket: (outcome: (typeof METRICS.mokuroku_bucket_requests_total.labels.outcome)[number]) =>
      bucketRequests.labels(outcome).inc(),
    onWebhook: (outcome: (typeof METRICS.mokuroku_webhook_attempts_total.labels.outcome)[number]) =>
      webhooks.labels(outcome).inc(),
    watchApp: (app: FastifyInstance) => measureHttp(app, metrics),
    watchCache(cache: Cache) {
      const [hits, misses] = [
        metrics.counter('mokuroku_cache_hits_total'),
        metrics.counter('mokuroku_cache_misses_total'),
      ]
      metrics.onCollect(() => {
        const { size } = cache
        for (const counter of [hits, misses]) counter.reset()
        hits.inc(size.hits)
        misses.inc(size.misses)
        metrics.gauge('mokuroku_cache_bytes').set(size.bytes)
      })
    },
    watchWaiters(waiters: { size: number }) {
      metrics.onCollect(() => metrics.gauge('http_server_waiting_requests').set(waiters.size))
    },
    /** Reports metrics that require an open service. From now on, the service can be ready. */
    async watchService(opened: Parts) {
      lastMigration = await findLastMigration(opened.db)
      void measureWhenElected(opened)
      metrics.onCollect(() => {
        metrics.gauge('mokuroku_signals_age_seconds').set(opened.signals.ageMs() / 1_000)
        if (opened.isRedisThere) metrics.gauge('mokuroku_redis_up').set(+opened.isRedisThere())
      })
      measureReplicas(opened.replicas, metrics)
      let unprotected = 0
      warnUnprotected(opened.config, false, { warn: () => (unprotected += 1) })
      metrics.gauge('mokuroku_unprotected_settings').set(unprotected)
      parts = opened
      setStartup({ state: 'running' })
    },
    /** Calls `listener` when this process starts a migration, runs, or stops. */
    onStartup(listener: typeof notify) {
      notify = listener
    },
    onStop() {
      setStartup({ state: 'stopping' })
    },
    startup: () => startup,
    ready,
    collect: metrics.collect,
  } satisfies MonitoringSource & Record<string, unknown>
}

/** Runs a check within the deadline. */
async function timed(check: () => Promise<unknown>) {
  const began = performance.now()
  const milliseconds = () => Math.round((performance.now() - began) * 10) / 10
  try {
    await withinOneDeadline(check, CHECK_DEADLINE_MS)
    return { ok: true, ms: milliseconds() }
  } catch (error) {
    return {
      ok: false,
      ms: milliseconds(),
      error: error instanceof Error ? error.message : String(error),
    }
  }
}
