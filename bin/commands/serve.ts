import cluster from 'node:cluster'
import { isAbsolute, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import type { Logger } from 'pino'
import { readConfigForServing, type Config } from '../../src/config/config.ts'
import { findUnknownSettings } from '../../src/config/unknown-settings.ts'
import type { Demo } from '../../src/demo-file.ts'
import { findShowcase, prepareDemo } from '../../src/demo.ts'
import { errorCode } from '../../src/kernel/error-code.ts'
import { addressesOf } from '../../src/operations/listen.ts'
import { openLog } from '../../src/operations/log/log.ts'
import { stopOnSignals } from '../../src/operations/shutdown.ts'
import { listNextSteps } from '../../src/operations/next-steps-queries.ts'
import type { MonitoringSource } from '../../src/operations/metrics/serve-monitoring.ts'
import { checkPort } from '../../src/operations/check-port.ts'
import { LARGE, vacuumDue } from '../../src/db/upkeep/autovacuum.ts'
import { watchLocks } from '../../src/db/server/watch-locks.ts'
import { findAllowedConnections } from '../../src/db/server/allowed-connections.ts'
import {
  findOpenFilesLimit,
  fitConnections,
  warnFewConnections,
  warnFewOpenFiles,
} from '../../src/operations/connection-limits.ts'
import { warnUnprotected } from '../../src/operations/warn-unprotected.ts'
import { startWatchdog } from '../../src/operations/watchdog.ts'
import { countWorkers } from '../../src/operations/workers/count.ts'
import { startWorkers } from '../../src/operations/workers/primary.ts'
import { linkToPrimary } from '../../src/operations/workers/worker.ts'
import { COMMIT, VERSION } from '../../src/kernel/build-info.ts'
import type { Server, OpenServerOptions } from '../../src/server.ts'
import { isBuilt, ownProgram } from '../built.ts'
import { Failure } from '../failure.ts'
import { stopWithShell } from '../process/stop-with-shell.ts'
import { notifySystemd, startSystemdWatchdog } from '../process/systemd.ts'
import { UsageError } from '../usage-error.ts'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'

const HELP = `
The first start on an empty data folder creates a demo: the bundled sample
catalog, an account and four apps, all listed in DATA_DIR/demo.json. With
DATABASE_URL, it does so only with --demo. Later starts keep the existing data.`

export const serveCommand = () =>
  new Command('serve')
    .option('--demo', 'create the demo on the first start')
    .option('--no-demo', 'do not create the demo on the first start')
    .option('--new', 'create a new embedded database if the old one is missing')
    .option(...JSON_OPTION)
    .addHelpText('after', HELP)
    .action(serve)

type ServeOptions = PrintOptions & { demo?: boolean; new?: boolean }

async function serve(options: ServeOptions) {
  const config = await readConfigForServing()
  if (options.new && config.databaseUrl !== undefined)
    throw new UsageError(
      '--new applies to the embedded database only. Unset DATABASE_URL, or omit --new.',
    )
  const log = openLog(config.logLevel)
  if (cluster.worker)
    return serveAsWorker(options, config, log.child({ worker: cluster.worker.id }))
  for (const line of findUnknownSettings(process.env)) log.warn(line)
  startSystemdWatchdog(log)
  const port = await checkPort(config.host, config.port)
  const count = countWorkers(config, log)
  if (count > 1) {
    // Reports unusable files once, instead of in each worker.
    await (await import('../../src/instance/instance.ts')).openInstance(config)
    // With port 0, each worker would choose a different port.
    const environment = { PORT: String(config.port) }
    const monitor = config.metricsAddress && (await openWorkersMonitor())
    const stopMonitoring = await serveMonitored(config, monitor)
    const { stop, reopenAccessLogs } = startWorkers({
      count,
      environment,
      port,
      shutdownDelay: config.shutdownDelay,
      monitor,
      log,
    })
    stopServiceOnSignals(
      () => stop().finally(stopMonitoring),
      config,
      log,
      hangupHandler(config, reopenAccessLogs),
    )
    await startWatchdog()
    return
  }
  const monitor = config.metricsAddress && (await openProcessMonitor())
  const stopMonitoring = await serveMonitored(config, monitor)
  if (config.databaseUrl === undefined) await placeDatabase(config.dataDir, options, log)
  const { server, close } = await open(config, log, { monitor, atEnd: stopMonitoring })
  const stop = async () => {
    server.beginDrain()
    if (config.shutdownDelay > 0) await sleep(config.shutdownDelay * 1_000)
    await server.finishDrain().finally(close)
  }
  stopServiceOnSignals(stop, config, log, hangupHandler(config, server.reopenAccessLog))
  try {
    const demo = await prepare(server, config, options, log)
    if (config.databaseUrl === undefined)
      await vacuumDue(server.database.db, { bySize: LARGE }).catch((err: unknown) =>
        log.warn({ err }, 'Could not reclaim the space of deleted rows at startup'),
      )
    await startWatchdog()
    await announce(server, await server.listen(), { config, options, log, demo })
  } catch (error) {
    await close()
    throw error
  }
}

function stopServiceOnSignals(
  stop: () => Promise<void>,
  { shutdownDelay: delaySeconds }: Config,
  log: Logger,
  onHangup?: () => void,
) {
  stopOnSignals(
    () => {
      notifySystemd('STOPPING=1', log)
      return stop()
    },
    log,
    { delaySeconds, onHangup },
  )
  stopWithShell()
}

/**
 * Returns `reopen` as the handler of SIGHUP if the access log is a file, which log rotation renames. In a terminal,
 * SIGHUP means that the terminal closes, so it stops the service.
 */
const hangupHandler = ({ accessLog }: Config, reopen: () => void) =>
  isAbsolute(accessLog) && !process.stderr.isTTY ? reopen : undefined

/** Runs one worker process. The first worker also prepares the database and announces the service. */
async function serveAsWorker(options: ServeOptions, config: Config, log: Logger) {
  const primary = linkToPrimary()
  try {
    const monitor = config.metricsAddress && (await openProcessMonitor())
    if (monitor) primary.reportTo(monitor)
    const { server, close } = await open(config, log, { ...primary, monitor })
    const stop = () => server.finishDrain().finally(close)
    primary.stopWith({ beginDrain: server.beginDrain, stop, log })
    primary.reopenWith(server.reopenAccessLog)
    const demo = primary.isFirst ? await prepare(server, config, options, log) : undefined
    await startWatchdog()
    primary.serve(server.app.server)
    await announce(server, await primary.allServe, { config, options, log, demo })
  } catch (error) {
    primary.hangUp()
    throw error
  }
}

/** Loads the metrics of one process, which a service without them does not need. */
async function openProcessMonitor() {
  const { openMonitor } = await import('../../src/operations/metrics/monitor.ts')
  return openMonitor()
}

/** Loads the metrics of the workers. */
async function openWorkersMonitor() {
  const { monitorWorkers } = await import('../../src/operations/workers/monitor-workers.ts')
  return monitorWorkers()
}

/**
 * Serves metrics and health checks at `METRICS_ADDRESS`, if there is one.
 *
 * @returns a function that stops the server
 */
async function serveMonitored(config: Config, source: MonitoringSource | undefined) {
  const { metricsAddress } = config
  if (!metricsAddress || !source) return async () => {}
  const { host, port } = metricsAddress
  const inUse = 'port is used by this service (PORT) or another program'
  const refuse = (reason: string, cause?: unknown) =>
    new Failure(`METRICS_ADDRESS is ${host}:${port}, whose ${reason}.`, { cause })
  // The service listens later, so its port is still free.
  if (port === config.port && addressesOf(config.host).includes(host)) throw refuse(inUse)
  const { serveMonitoring } = await import('../../src/operations/metrics/serve-monitoring.ts')
  try {
    return await serveMonitoring(metricsAddress, source)
  } catch (cause) {
    const code = errorCode(cause)
    throw refuse(code === 'EADDRINUSE' ? inUse : `address cannot be used (${code})`, cause)
  }
}

async function open(
  config: Config,
  log: Logger,
  { atEnd = async () => {}, ...options }: OpenServerOptions & { atEnd?: () => Promise<void> } = {},
) {
  // Imported here, because other commands must not load the service.
  const { openServer } = await import('../../src/server.ts')
  const maxConnections = fitConnections(config, findOpenFilesLimit())
  const server = await watchLocks(log, () =>
    openServer({ ...config, maxConnections }, log, { ...options, program: ownProgram }),
  ).catch(async (error: unknown) => {
    await atEnd()
    throw error
  })
  let closing: Promise<void> | undefined
  return { server, close: () => (closing ??= server.close().finally(atEnd)) }
}

/**
 * Prepares the demo and logs warnings, once per service.
 *
 * @returns the demo, if any
 */
async function prepare(server: Server, config: Config, options: ServeOptions, log: Logger) {
  const { db } = server.database
  const demo = await watchLocks(log, () =>
    prepareDemo(db, config, options.demo, (line) => log.info(line)),
  )
  warnUnprotected(config, demo !== undefined, log)
  warnFewConnections(config, await findAllowedConnections(db), log)
  warnFewOpenFiles(config, findOpenFilesLimit(), log)
  return demo
}

type Announcement = { config: Config; options: ServeOptions; log: Logger; demo: Demo | undefined }

async function announce(
  { database }: Server,
  listening: string[],
  { config, options, log, demo }: Announcement,
) {
  log.info(
    {
      address: config.baseUrl,
      listening,
      database: database.engine,
      version: VERSION,
      commit: COMMIT,
    },
    'Listening',
  )
  if (!demo) for (const step of await listNextSteps(database.db)) log.info(step)
  const demoFile = join(config.dataDir, 'demo.json')
  const lines = [
    describeListening(config.baseUrl, listening),
    ...(demo ? introduce(demo, demoFile, await findShowcase(database.db)) : []),
  ]
  notifySystemd('READY=1', log)
  print(options, { listening: config.baseUrl, ...(demo && { demo_file: demoFile }) }, lines)
}

async function placeDatabase(dataDir: string, options: ServeOptions, log: Logger) {
  const { placeCluster } = await import('../../src/db/embedded/cluster.ts')
  // A sample that was packed from older files would lack newer data.
  const wantsSample = options.demo !== false && isBuilt()
  const onStart = () => log.info('Creating the database, which takes a few seconds')
  await placeCluster(dataDir, { wantsSample, isNew: options.new === true, onStart })
}

/** Returns the URL and, for loopback, its `localhost` form. */
const namesOf = (url: string) => [url, url.replace(/\/\/(127\.0\.0\.1|\[::1\]):/, '//localhost:')]

/**
 * Describes the public URL, and the actual URLs if they differ. Behind a proxy, all processes have the same public URL.
 */
function describeListening(publicUrl: string, listening: string[]) {
  const isListening = listening.some((url) => namesOf(url).includes(publicUrl))
  return `mokuroku listens on ${publicUrl}${isListening ? '' : ` (${listening.join(', ')})`}`
}

/** Returns the first steps with the demo, as lines to paste into a shell. */
function introduce({ base_url, apps }: Demo, demoFile: string, galgame = 1): string[] {
  const app = apps.find(({ client_secret, scope }) => client_secret && scope.startsWith('catalog:'))
  if (!app) return []
  const token = `curl -s -u ${app.client_id}:${app.client_secret} -d grant_type=client_credentials -d scope=${app.scope} ${base_url}/oidc/token`
  const call = (path: string) =>
    `curl -s -H "Authorization: Bearer $TOKEN" "${base_url}/api/v3/open/${path}"; echo`
  return [
    '',
    `  client ID      ${app.client_id}`,
    `  client secret  ${app.client_secret}`,
    `  account        ${demoFile}`,
    `  guide          ${base_url}/guide`,
    `  reference      ${base_url}/docs`,
    '',
    'To try it, paste these lines into a shell:',
    '',
    `TOKEN=$(${token} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/'); echo "$TOKEN"`,
    call(`galgames/${galgame}`),
    call(`galgames/${galgame}/characters?role=MAIN&page_size=5`),
    '',
  ]
}
