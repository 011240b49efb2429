import type { Worker } from 'node:cluster'
import type { Socket } from 'node:net'
import { monotonicMs } from './monotonic.ts'
import type { ToWorker } from './messages.ts'

type Handed = { id: number; socket: Socket }

/** The handle that a process can send to another. Node's types omit it. */
type WithHandle = { _handle?: object | null }

/**
 * Distributes connections to workers in turn. A worker gets the next connection once it has received the last one, so
 * a busy or stalled worker gets none, and a connection that a worker never received goes to another one.
 */
export class ConnectionQueue {
  readonly #waiting: Socket[] = []
  /** Workers that can take a connection, the one that has waited the longest first. */
  readonly #free: Worker[] = []
  readonly #handed = new Map<Worker, Handed>()
  #lastId = 0
  #onEmpty = () => {}

  add(socket: Socket) {
    socket.on('error', () => {})
    this.#waiting.push(socket)
    this.#distribute()
  }

  /** Starts to give connections to a worker. Has no effect if the worker already gets connections. */
  addWorker(worker: Worker) {
    if (!this.#handed.has(worker) && !this.#free.includes(worker)) this.#free.push(worker)
    this.#distribute()
  }

  /** Handles the message of a worker that it has received a connection. A worker that was removed is added again. */
  onReceived(worker: Worker, id: number) {
    const handed = this.#handed.get(worker)
    if (handed?.id === id) {
      this.#handed.delete(worker)
      // Closes only the descriptor of this process.
      handed.socket.destroy()
    }
    this.addWorker(worker)
  }

  /** Gives no more connections to a worker, and gives the one that it has not received to another worker. */
  removeWorker(worker: Worker) {
    const index = this.#free.indexOf(worker)
    if (index !== -1) this.#free.splice(index, 1)
    const handed = this.#handed.get(worker)
    if (!handed) return
    this.#handed.delete(worker)
    this.#waiting.unshift(handed.socket)
    this.#distribute()
  }

  /** Resolves when workers have received all connections. */
  async drained(): Promise<void> {
    const empty = Promise.withResolvers<void>()
    this.#onEmpty = empty.resolve
    this.#distribute()
    return empty.promise
  }

  #distribute() {
    while (this.#waiting.length > 0 && this.#free.length > 0) {
      const [socket, worker] = [this.#waiting.shift(), this.#free.shift()]
      if (socket && worker) this.#send(worker, socket)
    }
    if (this.#waiting.length === 0 && this.#handed.size === 0) this.#onEmpty()
  }

  #send(worker: Worker, socket: Socket) {
    // as: every open socket has a handle
    const handle = (socket as WithHandle)._handle as Socket | null
    if (!handle) return void this.#free.unshift(worker)
    const id = (this.#lastId += 1)
    this.#handed.set(worker, { id, socket })
    const message: ToWorker = { type: 'connection', id, sentAt: monotonicMs() }
    // The exit of the worker takes the connection back.
    worker.send(message, handle, () => {})
  }
}
