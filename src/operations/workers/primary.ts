import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { respondTo } from '../../http/admission/leases/remote-counter.ts'
import { Windows } from '../../http/admission/leases/shared-counter.ts'
import { THROTTLE_SPACES } from '../../http/admission/throttle.ts'
import type { CheckedPort } from '../check-port.ts'
import { ConnectionQueue } from './connection-queue.ts'
import type { ToPrimary, ToWorker } from './messages.ts'
import type { WorkersMonitor } from './monitor-workers.ts'
import { respawnDelays } from './respawn-delays.ts'
import { watchStalls } from './stalls.ts'

export type PrimaryOptions = {
  count: number
  /** Environment variables of the workers, in addition to those of this process. */
  environment: Record<string, string>
  port: CheckedPort
  /** Time, in seconds, for which the workers still serve requests after `stop` was called. */
  shutdownDelay: number
  /** Watches the workers for the metrics. */
  monitor?: WorkersMonitor | undefined
  log: Logger
}

/**
 * Starts workers, which run the same program, and replaces those that exit. The first worker starts alone: it migrates
 * the schema and creates the demo. If it cannot start, this process exits with the same status. This process accepts
 * connections and distributes them to the workers in turn. One worker, the leader, runs the
 * periodic tasks, and another takes over when it exits.
 *
 * @returns `stop`, which stops all workers after their requests in flight and rejects if one of them fails to stop
 */
export function startWorkers({
  count,
  environment,
  port,
  shutdownDelay,
  monitor,
  log,
}: PrimaryOptions): { stop: () => Promise<void>; reopenAccessLogs: () => void } {
  const workers = new Set<Worker>()
  /** Start times of the serving workers, oldest first. */
  const serving = new Map<Worker, number>()
  const delayAfter = respawnDelays()
  const stopped = Promise.withResolvers<void>()
  const faults: string[] = []
  let phase: 'starting' | 'running' | 'stopping' = 'starting'
  let leader: Worker | undefined
  let addresses: Promise<string[]> | undefined
  const connections = new ConnectionQueue()

  // Ignores the error if the worker has already exited.
  const send = (worker: Worker, message: ToWorker) => worker.send(message, () => {})
  /** Windows of all workers, keyed by throttle space. */
  const windows = new Map(THROTTLE_SPACES.map((space) => [space, new Windows()]))

  const factsOf = (worker: Worker) => ({ worker: worker.id, pid: worker.process.pid })

  const stalls = watchStalls(
    (worker) => {
      log.warn(factsOf(worker), 'A worker does not respond: other workers get its new connections')
      connections.removeWorker(worker)
    },
    (worker) => {
      log.info(factsOf(worker), 'A worker responds again')
      connections.addWorker(worker)
    },
    (worker) => {
      log.error(factsOf(worker), 'A worker has not responded for ten seconds: killing it')
      worker.process.kill('SIGKILL')
    },
  )

  function fork() {
    if (phase === 'stopping') return
    const worker = cluster.fork(environment)
    workers.add(worker)
  }

  function electLeader() {
    ;[leader] = serving.keys()
    if (!leader) return
    send(leader, { type: 'elected' })
    monitor?.onElected(leader)
    log.info(factsOf(leader), 'A worker runs the periodic tasks')
  }

  async function accept(): Promise<string[]> {
    try {
      return await port.accept((socket) => connections.add(socket))
    } catch (err) {
      log.fatal({ err }, 'The port was taken by another program during startup')
      process.exit(1)
    }
  }

  function onServing(worker: Worker) {
    serving.set(worker, performance.now())
    stalls.beat(worker)
    connections.addWorker(worker)
    addresses ??= accept()
    monitor?.onListening(worker)
    if (!leader) electLeader()
    if (phase !== 'starting') {
      log.info(factsOf(worker), 'A worker has replaced one that exited')
      return
    }
    if (serving.size === 1) for (let more = 1; more < count; more += 1) fork()
    if (serving.size < count) return
    phase = 'running'
    const [first] = serving.keys()
    void addresses.then((urls) => first && send(first, { type: 'announce', addresses: urls }))
  }

  function countFor(worker: Worker, { space, request }: Extract<ToPrimary, { type: 'window' }>) {
    const counted = windows.get(space)
    const response = counted && respondTo(counted, request)
    if (response) send(worker, { type: 'window', space, response })
  }

  function onMessage(worker: Worker, message: ToPrimary) {
    if (message.type === 'received') connections.onReceived(worker, message.id)
    else if (message.type === 'beat') stalls.beat(worker)
    else if (message.type === 'window') countFor(worker, message)
    else if (message.type === 'answer' || message.type === 'startup') monitor?.onMessage(message)
    else if (phase !== 'stopping') onServing(worker)
  }

  function onExit(worker: Worker, status: number | null, signal: string | null) {
    const servedMs = performance.now() - (serving.get(worker) ?? performance.now())
    const facts = { ...factsOf(worker), status: signal ?? status }
    workers.delete(worker)
    serving.delete(worker)
    stalls.remove(worker)
    connections.removeWorker(worker)
    monitor?.onExit(worker)
    if (phase === 'stopping') {
      if (status !== 0) faults.push(`worker ${worker.id} exited with ${facts.status}`)
      if (workers.size === 0) endStop()
      return
    }
    if (phase === 'starting') {
      // Unless it was killed, the worker has logged the reason itself.
      if (signal) log.fatal(facts, 'A worker was killed during startup')
      process.exit(status || 1)
    }
    const delay = delayAfter(servedMs)
    if (delay === undefined) {
      log.fatal(facts, 'Workers keep exiting soon after their start: giving up')
      void giveUp()
      return
    }
    log.warn(facts, 'A worker has exited; starting another')
    monitor?.onRestart()
    if (worker === leader) electLeader()
    setTimeout(fork, delay)
  }

  async function giveUp() {
    await stop().catch(() => {})
    process.exit(1)
  }

  const endStop = () =>
    faults.length > 0
      ? stopped.reject(new Error(`Stopping failed: ${faults.join(', ')}`))
      : stopped.resolve()

  async function stop() {
    phase = 'stopping'
    monitor?.onStop()
    for (const worker of workers) send(worker, { type: 'drain' })
    if (shutdownDelay > 0) await sleep(shutdownDelay * 1_000)
    await port.close()
    if (serving.size > 0) await Promise.race([connections.drained(), stopped.promise])
    for (const worker of workers) send(worker, { type: 'stop' })
    if (workers.size === 0) endStop()
    return stopped.promise
  }

  cluster.on('message', onMessage)
  cluster.on('exit', onExit)
  // Makes sure that no worker outlives this process. After a SIGKILL, the workers exit by themselves.
  process.on('exit', () => {
    for (const worker of workers) worker.process.kill('SIGKILL')
  })
  fork()
  return {
    stop,
    reopenAccessLogs() {
      for (const worker of workers) send(worker, { type: 'reopen' })
    },
  }
}
