import { LRUCache } from 'lru-cache'
import { WINDOW_MS } from '../wire/rate-limit.ts'
import type { LeaseAnswer, LeaseAsk, LeaseRequest, LeaseReturn } from './lease-messages.ts'

/** A worker that says nothing for so long stands still: what it holds counts as used. In milliseconds. */
const RECALL_MS = 500

/** A worker, by its number. Numbers are not given twice. */
type Worker = number

type Window = {
  key: string
  id: number
  endsAt: number
  /** Requests that were used, or are in the hands of workers. */
  granted: number
  /** Who may have something unused, and at most so much. */
  held: Map<Worker, number>
  waiting: { worker: Worker; ask: LeaseAsk }[]
  /** Who has yet to say what of theirs is unused. */
  recalled: Set<Worker>
}

/**
 * Counts windows for several workers, in the one process they all know: each gets a part of a window to use up by itself,
 * half of what is left at a time. When nothing is left, the others give back what they have not used; only then is a
 * window used up. So no more than the limit is let through, nor less.
 */
export class WindowLeases {
  readonly #windows: LRUCache<string, Window>
  /** Windows that wait for an answer, by their id; forgotten keys too. */
  readonly #recalling = new Map<number, Window>()
  readonly #workers = new Set<Worker>()
  readonly #send: (worker: Worker, answer: LeaseAnswer) => void
  readonly #now: () => number
  #lastId = 0

  constructor(
    send: (worker: Worker, answer: LeaseAnswer) => void,
    { maxKeys = 100_000, now = () => performance.now() } = {},
  ) {
    this.#windows = new LRUCache({ maxSize: maxKeys, sizeCalculation: () => 1 })
    this.#send = send
    this.#now = now
  }

  /** A worker may ask from now on. */
  join(worker: Worker) {
    this.#workers.add(worker)
  }

  /** Of a worker that has ended, nothing is heard any more. */
  receive(worker: Worker, request: LeaseRequest) {
    if (!this.#workers.has(worker)) return
    if ('returned' in request) this.#takeBack(worker, request.returned)
    else for (const ask of request.asks) this.#ask(worker, ask)
  }

  /** A worker has ended. What it held counts as used: nobody knows better. */
  forget(worker: Worker) {
    this.#workers.delete(worker)
    for (const window of this.#recalling.values()) {
      window.waiting = window.waiting.filter((waiting) => waiting.worker !== worker)
      window.recalled.delete(worker)
      this.#settle(window)
    }
  }

  #ask(worker: Worker, ask: LeaseAsk) {
    const window = this.#windowOf(ask.key)
    if (ask.window === window.id) this.#release(window, worker, ask.unused)
    window.waiting.push({ worker, ask })
    this.#settle(window)
  }

  #takeBack(worker: Worker, { window: id, unused }: LeaseReturn) {
    const window = this.#recalling.get(id)
    if (!window?.recalled.delete(worker)) return
    this.#release(window, worker, unused)
    this.#settle(window)
  }

  #windowOf(key: string): Window {
    const known = this.#windows.get(key)
    const time = this.#now()
    if (known && (known.endsAt > time || known.waiting.length > 0)) return known
    const window: Window = {
      key,
      id: (this.#lastId += 1),
      endsAt: time + WINDOW_MS,
      granted: 0,
      held: new Map(),
      waiting: [],
      recalled: new Set(),
    }
    this.#windows.set(key, window)
    return window
  }

  #release(window: Window, worker: Worker, unused: number) {
    window.granted -= Math.min(unused, window.held.get(worker) ?? 0)
    window.held.delete(worker)
  }

  /** Gives those that wait what there is, first come, first served; else recalls; else says that there is none. */
  #settle(window: Window) {
    window.waiting = window.waiting.filter(({ worker, ask }) => !this.#grant(window, worker, ask))
    if (window.recalled.size > 0) return
    this.#recalling.delete(window.id)
    if (window.waiting.length === 0) return
    window.recalled = new Set([...window.held.keys()].filter((worker) => this.#workers.has(worker)))
    if (window.recalled.size > 0) return this.#recall(window)
    for (const { worker, ask } of window.waiting.splice(0)) this.#sendLease(window, worker, ask, 0)
  }

  #recall(window: Window) {
    this.#recalling.set(window.id, window)
    const { key, id, recalled } = window
    for (const worker of recalled) this.#send(worker, { recall: { key, window: id } })
    setTimeout(() => {
      // Another recall of the window has its own time.
      if (recalled !== window.recalled || recalled.size === 0) return
      for (const worker of recalled) window.held.delete(worker)
      recalled.clear()
      this.#settle(window)
    }, RECALL_MS).unref()
  }

  #grant(window: Window, worker: Worker, ask: LeaseAsk): boolean {
    const free = ask.limit - window.granted
    // Before its answer it would be taken to hold nothing.
    if (free <= 0 || window.recalled.has(worker)) return false
    const amount = Math.min(free, Math.max(ask.wanted, Math.ceil(free / 2)))
    window.granted += amount
    window.held.set(worker, (window.held.get(worker) ?? 0) + amount)
    this.#sendLease(window, worker, ask, amount)
    return true
  }

  #sendLease({ id, granted, endsAt }: Window, worker: Worker, { key, limit }: LeaseAsk, amount: number) {
    const free = Math.max(0, limit - granted)
    const resetMs = Math.min(WINDOW_MS, Math.max(0, endsAt - this.#now()))
    this.#send(worker, { lease: { key, window: id, limit, amount, free, resetMs } })
  }
}
