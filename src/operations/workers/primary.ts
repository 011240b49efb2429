import cluster, { type Worker } from 'node:cluster'
import type { Logger } from 'pino'
import { answerFrom } from '../../http/admission/leases/remote-counter.ts'
import { Windows } from '../../http/admission/leases/shared-counter.ts'
import { THROTTLE_SPACES } from '../../http/admission/throttle.ts'
import type { ToPrimary, ToWorker } from './messages.ts'
import { respawnDelays } from './respawn.ts'

export type PrimaryOptions = {
  count: number
  /** What each worker has in its environment beside that of this process. */
  environment: Record<string, string>
  /** Lets go of the port, once the first worker is about to take it. */
  letGo: () => Promise<void>
  log: Logger
}

/**
 * Starts workers, which run this very program, and replaces those that end. The first is alone until it listens: it brings
 * the schema up to date and makes the demo, and when it cannot start, this process ends as it did. Connections are taken
 * here and handed to the workers by turns. One worker is on duty for the periodic tasks; when it ends, another is.
 *
 * @returns has all workers finish the requests in flight and end; rejects when one of them failed to
 */
export function startWorkers({
  count,
  environment,
  letGo,
  log,
}: PrimaryOptions): () => Promise<void> {
  const workers = new Set<Worker>()
  /** Since when; in the order in which they began. */
  const listening = new Map<Worker, number>()
  const delayAfter = respawnDelays()
  const stopped = Promise.withResolvers<void>()
  const faults: string[] = []
  let phase: 'starting' | 'running' | 'stopping' = 'starting'
  let onDuty: Worker | undefined
  let portIsFree: Promise<void> | undefined

  // One that has ended meanwhile hears nothing.
  const send = (worker: Worker, message: ToWorker) => worker.send(message, () => {})
  /** Windows of all workers, separately for each throttle space. */
  const windows = new Map(THROTTLE_SPACES.map((space) => [space, new Windows()]))

  function fork() {
    if (phase === 'stopping') return
    const worker = cluster.fork(environment)
    workers.add(worker)
  }

  function nameOneForDuty() {
    ;[onDuty] = listening.keys()
    if (!onDuty) return
    send(onDuty, { type: 'duty' })
    log.info({ worker: onDuty.id, pid: onDuty.process.pid }, 'A worker does the periodic tasks')
  }

  function onListening(worker: Worker) {
    listening.set(worker, performance.now())
    if (!onDuty) nameOneForDuty()
    if (phase !== 'starting') {
      log.info(
        { worker: worker.id, pid: worker.process.pid },
        'A worker has taken the place of one that ended',
      )
      return
    }
    if (listening.size === 1) for (let more = 1; more < count; more += 1) fork()
    if (listening.size < count) return
    phase = 'running'
    const [first] = listening.keys()
    if (first) send(first, { type: 'announce' })
  }

  async function letListen(worker: Worker) {
    await (portIsFree ??= letGo())
    send(worker, { type: 'listen' })
  }

  function countFor(worker: Worker, { space, request }: Extract<ToPrimary, { type: 'window' }>) {
    const counted = windows.get(space)
    const answer = counted && answerFrom(counted, request)
    if (answer) send(worker, { type: 'window', space, answer })
  }

  function onMessage(worker: Worker, message: ToPrimary) {
    if (message.type === 'window') countFor(worker, message)
    else if (phase === 'stopping') return
    else if (message.type === 'listening') onListening(worker)
    else void letListen(worker)
  }

  function onExit(worker: Worker, status: number | null, signal: string | null) {
    const listenedMs = performance.now() - (listening.get(worker) ?? performance.now())
    const facts = { worker: worker.id, pid: worker.process.pid, status: signal ?? status }
    workers.delete(worker)
    listening.delete(worker)
    if (phase === 'stopping') {
      if (status !== 0) faults.push(`worker ${worker.id} ended with ${facts.status}`)
      if (workers.size === 0) endStop()
      return
    }
    if (phase === 'starting') {
      // Its own words are there unless it was killed.
      if (signal) log.fatal(facts, 'A worker was killed before all had started')
      process.exit(status || 1)
    }
    const delay = delayAfter(listenedMs)
    if (delay === undefined) {
      log.fatal(
        facts,
        'Workers end again and again soon after their start, the last one too: giving up',
      )
      void giveUp()
      return
    }
    log.warn(facts, 'A worker has ended; another takes its place')
    if (worker === onDuty) nameOneForDuty()
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
    for (const worker of workers) send(worker, { type: 'stop' })
    if (workers.size === 0) endStop()
    return stopped.promise
  }

  cluster.on('message', onMessage)
  cluster.on('exit', onExit)
  // However this process ends, none is left behind; of SIGKILL they learn by themselves.
  process.on('exit', () => {
    for (const worker of workers) worker.process.kill('SIGKILL')
  })
  fork()
  return stop
}
