import cluster, { type Worker } from 'node:cluster'
import type { Logger } from 'pino'
import { respondTo } from '../../http/admission/leases/remote-counter.ts'
import { Windows } from '../../http/admission/leases/shared-counter.ts'
import { THROTTLE_SPACES } from '../../http/admission/throttle.ts'
import { closeUnaccepted } from './close-unaccepted.ts'
import type { ToPrimary, ToWorker } from './messages.ts'
import type { WorkersMonitor } from './monitor-workers.ts'
import { respawnDelays } from './respawn-delays.ts'

export type PrimaryOptions = {
  count: number
  /** Environment variables of the workers, in addition to those of this process. */
  environment: Record<string, string>
  /** Releases the port for the first worker. */
  releasePort: () => Promise<void>
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
export function startWorkers({ count, environment, releasePort, monitor, log }: PrimaryOptions): {
  stop: () => Promise<void>
  reopenAccessLogs: () => void
} {
  const workers = new Set<Worker>()
  /** Start times of the listening workers, oldest first. */
  const listening = new Map<Worker, number>()
  const delayAfter = respawnDelays()
  const stopped = Promise.withResolvers<void>()
  const faults: string[] = []
  let phase: 'starting' | 'running' | 'stopping' = 'starting'
  let leader: Worker | undefined
  let portIsFree: Promise<void> | undefined

  // Ignores the error if the worker has already exited.
  const send = (worker: Worker, message: ToWorker) => worker.send(message, () => {})
  /** Windows of all workers, keyed by throttle space. */
  const windows = new Map(THROTTLE_SPACES.map((space) => [space, new Windows()]))

  function fork() {
    if (phase === 'stopping') return
    const worker = cluster.fork(environment)
    closeUnaccepted(worker)
    workers.add(worker)
  }

  function electLeader() {
    ;[leader] = listening.keys()
    if (!leader) return
    send(leader, { type: 'elected' })
    monitor?.onElected(leader)
    log.info({ worker: leader.id, pid: leader.process.pid }, 'A worker runs the periodic tasks')
  }

  function onListening(worker: Worker) {
    listening.set(worker, performance.now())
    monitor?.onListening(worker)
    if (!leader) electLeader()
    if (phase !== 'starting') {
      log.info(
        { worker: worker.id, pid: worker.process.pid },
        'A worker has replaced one that exited',
      )
      return
    }
    if (listening.size === 1) for (let more = 1; more < count; more += 1) fork()
    if (listening.size < count) return
    phase = 'running'
    const [first] = listening.keys()
    if (first) send(first, { type: 'announce' })
  }

  async function allowToListen(worker: Worker) {
    await (portIsFree ??= releasePort())
    send(worker, { type: 'listen' })
  }

  function countFor(worker: Worker, { space, request }: Extract<ToPrimary, { type: 'window' }>) {
    const counted = windows.get(space)
    const response = counted && respondTo(counted, request)
    if (response) send(worker, { type: 'window', space, response })
  }

  function onMessage(worker: Worker, message: ToPrimary) {
    if (message.type === 'window') countFor(worker, message)
    else if (message.type === 'answer' || message.type === 'startup')
      monitor?.onMessage(worker, message)
    else if (phase === 'stopping') return
    else if (message.type === 'listening') onListening(worker)
    else void allowToListen(worker)
  }

  function onExit(worker: Worker, status: number | null, signal: string | null) {
    const listenedMs = performance.now() - (listening.get(worker) ?? performance.now())
    const facts = { worker: worker.id, pid: worker.process.pid, status: signal ?? status }
    workers.delete(worker)
    listening.delete(worker)
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
    const delay = delayAfter(listenedMs)
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

  function stop() {
    phase = 'stopping'
    monitor?.onStop()
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
