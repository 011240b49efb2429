import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { startOutboxSender } from './accounts/mail/outbox/outbox-sender.ts'
import { openMailTransport } from './accounts/mail/outbox/transport.ts'
import { buildApp } from './app.ts'
import { upsertFirstPartyApps } from './apps/operator/first-party-queries.ts'
import { startUsage } from './apps/usage/usage.ts'
import { startBackground } from './background.ts'
import { backUpBeforeMigration, startScheduledBackups } from './backup/scheduled-backups.ts'
import { ensureFeedEpoch } from './catalog/changes/feed-epoch.ts'
import type { Config } from './config/config.ts'
import { openDatabase, type Database, type OpenDatabase } from './db/database.ts'
import type { DatabaseObserver } from './db/observer.ts'
import { addMissingReferences } from './db/sharding/missing-references.ts'
import { openReplicas, type Replicas } from './db/replicas/open-replicas.ts'
import type { Reads } from './db/replicas/reads.ts'
import { migrate } from './db/upkeep/migrate.ts'
import { watchDatabaseClock } from './db/upkeep/database-clock.ts'
import { watchSignals } from './db/upkeep/signals.ts'
import { redisThrottle } from './http/admission/leases/redis-throttle.ts'
import { openUploadBucket } from './uploads/upload-bucket.ts'
import { memoryThrottle, type OpenThrottle } from './http/admission/throttle.ts'
import { openInstance } from './instance/instance.ts'
import { openIdentity } from './identity/identity.ts'
import { VERSION } from './kernel/build-info.ts'
import { isLoopback } from './kernel/networks.ts'
import { fetchForApps } from './outbound/fetch-for-apps.ts'
import { openDrain } from './operations/drain.ts'
import { openAccessLog } from './operations/log/access-log.ts'
import { listen } from './operations/listen.ts'
import type { Monitor } from './operations/metrics/monitor.ts'
import { protectFromOverload, type OverloadProtection } from './operations/overload/protection.ts'
import { watchTotals } from './ratings/totals/totals.ts'
import { watchFrequencies } from './search/index/search-index.ts'
import { startWebhookSender } from './webhooks/webhook-sender.ts'

export type Server = {
  app: FastifyInstance
  database: OpenDatabase
  replicas: Pick<Replicas, 'states' | 'counts'>
  /**
   * Starts to accept requests.
   *
   * @returns the URLs of its sockets
   */
  listen(): Promise<string[]>
  /** Makes the service report that it is not ready, and each response close its connection. */
  beginDrain(): void
  /** Stops accepting connections, and waits until all are closed. */
  finishDrain(): Promise<void>
  /** Reopens the file of the access log after it was renamed. */
  reopenAccessLog(): void
  /** Waits for requests in flight, then closes everything. Call it only once. */
  close(): Promise<void>
}

export type OpenServerOptions = {
  /** Creates throttles for counts that are not in Redis. By default they count in the memory of this process. */
  openThrottle?: OpenThrottle
  /** Resolves when this process must run the periodic tasks that one process runs for all. Resolved by default. */
  elected?: Promise<void>
  /**
   * False for a worker that joins others: the first worker has migrated, and a newer version may have migrated since.
   */
  isFirst?: boolean
  monitor?: Monitor | undefined
  /** Returns the handle for reads that may run on replicas. Defaults to the replicas in the settings. */
  readsOf?: ((db: Database) => Reads) | undefined
  /** Program and arguments that start the command line, which makes backups. Without it, none are made. */
  program?: () => readonly string[]
}

/**
 * Opens everything the service needs, migrates if this process is the first, and builds the app. It does not listen
 * yet.
 */
export async function openServer(
  config: Config,
  log: Logger,
  {
    openThrottle = () => memoryThrottle(),
    elected = Promise.resolve(),
    isFirst = true,
    monitor,
    readsOf,
    program,
  }: OpenServerOptions = {},
): Promise<Server> {
  const closers: (() => void | Promise<void>)[] = []
  /** Closes everything in reverse order. A failure to close one part does not keep the rest open. */
  const close = async () => {
    const faults: unknown[] = []
    for (const closer of closers.toReversed())
      try {
        await closer()
      } catch (fault) {
        faults.push(fault)
      }
    if (faults.length > 0)
      throw new AggregateError(faults, `Closing failed: ${faults.map(String).join('; ')}`)
  }
  try {
    const tracing = config.otlpEndpoint === undefined ? undefined : await loadTracing(config, log)
    if (tracing) closers.push(tracing.close)
    const overload =
      config.overloadProtection === 'on'
        ? protectFromOverload({
            poolSize: config.databaseUrl === undefined ? 1 : config.databasePoolSize,
            log,
          })
        : undefined
    if (overload) closers.push(overload.stop)
    const observer = combineObservers(monitor?.database, tracing, overload)
    const database = await openDatabase(config, log, { isService: true, observer })
    closers.push(database.close)
    const { db } = database
    const replicas = openReplicas(config, db, log, { observer, countWaits: overload?.countWaits })
    closers.push(replicas.close)
    const backups = program && { config, database, log, program }
    const onUpgrade = backups && ((name: string) => backUpBeforeMigration(backups, name))
    const onMigration = monitor?.onMigration
    const applied = isFirst ? await migrate(db, undefined, { log, onUpgrade, onMigration }) : []
    if (isFirst) await addMissingReferences(db)
    if (applied.length > 0) log.info({ migrations: applied }, 'Migrated the schema')

    await ensureFeedEpoch(db)
    const clock = await watchDatabaseClock(db, log)
    closers.push(clock.stop)
    const signals = await watchSignals(db, (err) =>
      log.warn({ err }, 'Reading change signals failed; retrying'),
    )
    closers.push(signals.stop)
    const listener = await database.listen(signals.wake)
    closers.push(listener.stop)
    const requestThrottle = openThrottle('requests')
    const redis = config.redisUrl
      ? await redisThrottle(config.redisUrl, log, requestThrottle)
      : undefined
    if (redis) closers.push(redis.close)
    const usage = startUsage(db, log)
    closers.push(usage.stop)
    const instance = await openInstance(config)
    await upsertFirstPartyApps(db, config)
    const identity = await openIdentity({
      db,
      signals,
      clock,
      log,
      ...config,
      usage,
      onTokens: monitor?.onTokens,
    })
    closers.push(identity.close)
    const transport = openMailTransport({ ...config, log })
    closers.push(() => transport.close())
    const outbox = startOutboxSender({
      db,
      authUrl: config.authUrl,
      transport,
      mailDefaults: instance.mail,
      log,
      elected,
    })
    closers.push(outbox.stop)
    if (config.webhooks === 'on')
      closers.push(
        startWhenElected(
          elected,
          () =>
            startWebhookSender({
              db,
              log,
              send: fetchForApps(config.authUrl),
              isLocal: isLoopback(new URL(config.authUrl).hostname),
              secretKey: config.secretKey,
              now: clock.now,
              onAttempt: monitor?.onWebhook,
            }).stop,
        ),
      )
    const uploadBucket = openUploadBucket(config.bucket, {
      onFailure: (err) => log.warn({ err }, 'Cannot store an uploaded picture in the bucket'),
      onRequest: monitor?.onBucket,
    })
    const frequencies = await watchFrequencies(db, log)
    closers.push(frequencies.stop)
    closers.push(
      startWhenElected(elected, () =>
        startBackground({ log, uploadBucket, ...database, ...config }),
      ),
    )
    if (backups) closers.push(startWhenElected(elected, () => startScheduledBackups(backups).stop))
    const totals = await watchTotals(db, signals)
    const drain = openDrain()
    const accessLog = openAccessLog(config, log)
    if (accessLog) closers.push(accessLog.close)
    const app = await buildApp({
      config,
      instance,
      db,
      reads: readsOf?.(db) ?? replicas.reads,
      signals,
      clock,
      uploadBucket,
      identity,
      usage,
      totals,
      frequencies: frequencies.now,
      wakeOutbox: outbox.wake,
      log,
      throttle: redis?.throttle ?? requestThrottle,
      isRedisThere: redis?.isThere,
      openThrottle,
      drain,
      overload,
      accessLog,
      tracing,
      monitor,
    })
    await monitor?.watchService({
      db,
      config,
      signals,
      elected,
      isRedisThere: redis?.isThere,
      replicas,
    })
    let stopListening = () => app.close() as Promise<void>
    let closeListeners = async () => {}
    closers.push(() => stopListening())
    closers.push(() => monitor?.onStop())

    return {
      app,
      database,
      replicas,
      close,
      beginDrain() {
        monitor?.onStop()
        drain.begin()
      },
      finishDrain() {
        drain.begin()
        return drain.finish(closeListeners)
      },
      reopenAccessLog: () => accessLog?.reopen(),
      listen: async () => {
        const commands = await database.acceptCommands?.()
        // Done first, because a command may hold the only connection indefinitely.
        if (commands) closers.push(commands.stop)
        const { addresses, ...listening } = await listen(app, config)
        stopListening = listening.stop
        closeListeners = listening.closeListeners
        return addresses
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Loads the OpenTelemetry SDK, which a service without traces does not need. */
async function loadTracing(config: Config, log: Logger) {
  const { openTracing } = await import('./operations/tracing.ts')
  return openTracing(config, VERSION, log)
}

function combineObservers(
  metrics: DatabaseObserver | undefined,
  tracing: Pick<DatabaseObserver, 'onStatement'> | undefined,
  overload: OverloadProtection | undefined,
): DatabaseObserver {
  const listeners = [metrics?.onStatement, tracing?.onStatement].filter(
    (listener) => listener !== undefined,
  )
  return {
    ...(listeners.length > 0 && {
      onStatement(event) {
        for (const listener of listeners) listener(event)
      },
    }),
    onPool(pool) {
      metrics?.onPool(pool)
      overload?.watchPool(pool)
    },
  }
}

/**
 * Starts something when `elected` resolves, unless it was stopped before.
 *
 * @returns a function that stops it
 */
function startWhenElected(
  elected: Promise<void>,
  start: () => () => Promise<void>,
): () => Promise<void> {
  let isStopped = false
  let stop = async () => {}
  const startThen = async () => {
    await elected
    if (!isStopped) stop = start()
  }
  void startThen()
  return () => {
    isStopped = true
    return stop()
  }
}
