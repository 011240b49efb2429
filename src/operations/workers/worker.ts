import cluster from 'node:cluster'
import type { Logger } from 'pino'
import { Leases } from '../../http/admission/leases/leases.ts'
import { remoteCounter, type CounterResponse } from '../../http/admission/leases/remote-counter.ts'
import type { OpenThrottle, ThrottleSpace } from '../../http/admission/throttle.ts'
import { STOP_SIGNALS } from '../shutdown.ts'
import type { Monitor } from '../metrics/monitor.ts'
import type { Answers, Question, ToPrimary, ToWorker } from './messages.ts'

/** Interface of a worker to the primary process. */
export type Primary = {
  /** Whether this is the first worker, which does the one-time setup and announces the service. */
  isFirst: boolean
  /** Resolves when this worker must run the periodic tasks. */
  elected: Promise<void>
  openThrottle: OpenThrottle
  /** Responds to queries from the primary process about this worker, and reports its migrations. */
  reportTo(monitor: Monitor): void
  /**
   * Reports that this worker is ready to listen.
   *
   * @returns when the port is free
   */
  waitToListen(): Promise<void>
  /**
   * Reports that this worker is listening.
   *
   * @returns when all workers are listening; never resolves except in the first worker
   */
  allListen(): Promise<void>
  /** Lets a worker that cannot start exit by itself, with its current exit status, once nothing keeps it running. */
  hangUp(): void
  /**
   * Sets how this process stops when the primary process tells it to. Until this is called, the process exits
   * immediately.
   */
  stopWith(stop: () => Promise<void>, log: Logger): void
  /** Sets how this process reopens its access log. */
  reopenWith(reopen: () => void): void
}

/**
 * Connects a worker to the primary process. Signals are left to the primary process, because a terminal or a
 * supervisor may send them to the whole process group. If the primary process dies, Node ends this process.
 */
export function linkToPrimary(): Primary {
  const election = Promise.withResolvers<void>()
  const listenGate = Promise.withResolvers<void>()
  const allListen = Promise.withResolvers<void>()
  const receivers = new Map<ThrottleSpace, (response: CounterResponse) => void>()
  let monitor: Monitor | undefined
  let stop = (): void => process.exit(0)
  let reopen = () => {}
  // Ignores the error if the primary process is gone, because this process then ends too.
  const send = (message: ToPrimary) => process.send?.(message, undefined, undefined, () => {})

  for (const name of STOP_SIGNALS) process.on(name, () => {})
  // as: only the primary process sends messages on this channel
  process.on('message', (message: ToWorker) => {
    if (message.type === 'window') receivers.get(message.space)?.(message.response)
    else if (message.type === 'elected') election.resolve()
    else if (message.type === 'listen') listenGate.resolve()
    else if (message.type === 'announce') allListen.resolve()
    else if (message.type === 'reopen') reopen()
    else if (message.type === 'question') void answer(message.id, message.question)
    else stop()
  })

  async function answer(id: number, question: Question) {
    const found: Promise<Answers[Question]> | undefined = monitor?.[question]()
    send({ type: 'answer', id, answer: await found?.catch(() => undefined) })
  }

  return {
    reportTo(own) {
      monitor = own
      own.onStartup((startup) => void send({ type: 'startup', startup }))
    },
    isFirst: cluster.worker?.id === 1,
    elected: election.promise,
    openThrottle(space) {
      const counter = remoteCounter((request) => send({ type: 'window', space, request }))
      receivers.set(space, counter.receive)
      const leases = new Leases(counter)
      leases.returnIdle()
      return (key, limit) => leases.count(key, limit)
    },
    waitToListen() {
      send({ type: 'prepared' })
      return listenGate.promise
    },
    allListen() {
      send({ type: 'listening' })
      return allListen.promise
    },
    reopenWith(reopenLog) {
      reopen = reopenLog
    },
    hangUp: () => process.channel?.unref(),
    stopWith(close, log) {
      stop = () => {
        close().then(
          () => process.exit(0),
          (err: unknown) => {
            log.error({ err }, 'Stopping failed')
            process.exit(1)
          },
        )
      }
    },
  }
}
