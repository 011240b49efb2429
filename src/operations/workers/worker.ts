import cluster from 'node:cluster'
import type { Logger } from 'pino'
import { Leases } from '../../http/admission/leases/leases.ts'
import { remoteCounter, type CounterAnswer } from '../../http/admission/leases/remote-counter.ts'
import type { OpenThrottle, ThrottleSpace } from '../../http/admission/throttle.ts'
import { STOP_SIGNALS } from '../shutdown.ts'
import type { ToPrimary, ToWorker } from './messages.ts'

/** What a worker has of its primary. */
export type Primary = {
  /** Of the workers of this start: makes what is made once, and speaks for all. */
  isFirst: boolean
  /** Settles when this worker is to do the periodic tasks. */
  onDuty: Promise<void>
  openThrottle: OpenThrottle
  /** Says that this worker could listen. @returns when it may */
  mayListen(): Promise<void>
  /** Says that this worker listens. @returns when all do; of another than the first, never */
  allListen(): Promise<void>
  /** This worker cannot start: it ends by itself once nothing is open, with the exit status it has then. */
  hangUp(): void
  /** What the primary's word ends this process with, from now on; before, it just ends. */
  stopWith(stop: () => Promise<void>, log: Logger): void
}

/**
 * Listens to the primary, once, in a worker. Signals are the primary's business: at a terminal, and under many a
 * supervisor, every process of the group gets them. When the primary is gone, Node ends this process.
 */
export function linkToPrimary(): Primary {
  const duty = Promise.withResolvers<void>()
  const mayListen = Promise.withResolvers<void>()
  const allListen = Promise.withResolvers<void>()
  const receivers = new Map<ThrottleSpace, (answer: CounterAnswer) => void>()
  let stop = (): void => process.exit(0)
  // Nobody hears it when the primary is gone, and this process goes as well.
  const send = (message: ToPrimary) => process.send?.(message, undefined, undefined, () => {})

  for (const name of STOP_SIGNALS) process.on(name, () => {})
  // as: nobody else speaks on this channel
  process.on('message', (message: ToWorker) => {
    if (message.type === 'window') receivers.get(message.space)?.(message.answer)
    else if (message.type === 'duty') duty.resolve()
    else if (message.type === 'listen') mayListen.resolve()
    else if (message.type === 'announce') allListen.resolve()
    else stop()
  })

  return {
    isFirst: cluster.worker?.id === 1,
    onDuty: duty.promise,
    openThrottle(space) {
      const counter = remoteCounter((request) => send({ type: 'window', space, request }))
      receivers.set(space, counter.receive)
      const leases = new Leases(counter)
      leases.returnIdle()
      return (key, limit) => leases.count(key, limit)
    },
    mayListen() {
      send({ type: 'prepared' })
      return mayListen.promise
    },
    allListen() {
      send({ type: 'listening' })
      return allListen.promise
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
