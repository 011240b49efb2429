import cluster from 'node:cluster'
import type { Server } from 'node:http'
import { Socket } from 'node:net'
import type { Logger } from 'pino'
import { Leases } from '../../http/admission/leases/leases.ts'
import { remoteCounter, type CounterResponse } from '../../http/admission/leases/remote-counter.ts'
import type { OpenThrottle, ThrottleSpace } from '../../http/admission/throttle.ts'
import { exitAfter, STOP_SIGNALS } from '../shutdown.ts'
import type { Monitor } from '../metrics/monitor.ts'
import type { Answers, Question, ToPrimary, ToWorker } from './messages.ts'
import { monotonicMs } from './monotonic.ts'
import { BEAT_MS } from './stalls.ts'

/**
 * Age, in milliseconds, from which a worker that was stalled closes a connection. It is shorter than the time after
 * which the primary process gives the connection to another worker.
 */
const MAX_HANDOVER_MS = 1_500

/** Interface of a worker to the primary process. */
export type Primary = {
  /** Whether this is the first worker, which does the one-time setup and announces the service. */
  isFirst: boolean
  /** Resolves when this worker must run the periodic tasks. */
  elected: Promise<void>
  openThrottle: OpenThrottle
  /** Responds to queries from the primary process about this worker, and reports its migrations. */
  reportTo(monitor: Monitor): void
  /** Gives the connections that the primary process sends to the server, and reports that this worker is serving. */
  serve(server: Server): void
  /** URLs of the service. Resolves when all workers are serving, and only in the first worker. */
  allServe: Promise<string[]>
  /** Lets a worker that cannot start exit by itself, with its current exit status, once nothing keeps it running. */
  hangUp(): void
  /**
   * Sets how this process stops when the primary process tells it to. Until this is called, the process exits
   * immediately.
   */
  stopWith(parts: { beginDrain: () => void; stop: () => Promise<void>; log: Logger }): void
  /** Sets how this process reopens its access log. */
  reopenWith(reopen: () => void): void
}

/**
 * Connects a worker to the primary process. Signals are left to the primary process, because a terminal or a
 * supervisor may send them to the whole process group. If the primary process dies, Node ends this process.
 */
export function linkToPrimary(): Primary {
  const election = Promise.withResolvers<void>()
  const allServe = Promise.withResolvers<string[]>()
  const receivers = new Map<ThrottleSpace, (response: CounterResponse) => void>()
  let monitor: Monitor | undefined
  let stop = (): void => process.exit(0)
  let reopen = () => {}
  let beginDrain = () => {}
  let accept = (socket: Socket): void => void socket.destroy()
  // Ignores the error if the primary process is gone, because this process then ends too.
  const send = (message: ToPrimary) => process.send?.(message, undefined, undefined, () => {})

  for (const name of STOP_SIGNALS) process.on(name, () => {})
  // as: only the primary process sends messages on this channel
  process.on('message', (message: ToWorker, handle: unknown) => {
    if (message.type === 'connection') receive(message, handle)
    else if (message.type === 'window') receivers.get(message.space)?.(message.response)
    else if (message.type === 'elected') election.resolve()
    else if (message.type === 'announce') allServe.resolve(message.addresses)
    else if (message.type === 'drain') beginDrain()
    else if (message.type === 'reopen') reopen()
    else if (message.type === 'question') void answer(message.id, message.question)
    else stop()
  })

  function receive({ id, sentAt }: Extract<ToWorker, { type: 'connection' }>, handle: unknown) {
    const isLate = monotonicMs() - sentAt > MAX_HANDOVER_MS
    send({ type: 'received', id })
    // Missing if the connection was lost on the way.
    if (!handle) return
    // as: the handle of a socket, which the types omit
    const options = { handle, allowHalfOpen: true, readable: true, writable: true } as object
    const socket = new Socket(options)
    if (isLate) return socket.destroy()
    socket.setNoDelay(true)
    accept(socket)
  }

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
    serve(server) {
      accept = (socket) => void server.emit('connection', socket)
      // Starts the timeouts of requests. The server listens to no port itself.
      server.emit('listening')
      setInterval(() => send({ type: 'beat' }), BEAT_MS).unref()
      send({ type: 'serving' })
    },
    allServe: allServe.promise,
    reopenWith(reopenLog) {
      reopen = reopenLog
    },
    hangUp: () => process.channel?.unref(),
    stopWith(parts) {
      beginDrain = parts.beginDrain
      stop = () => exitAfter(parts.stop(), parts.log)
    },
  }
}
