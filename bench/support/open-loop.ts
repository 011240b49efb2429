import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Connections that are open when an open loop starts. A request opens another one if all are in use. */
const CONNECTIONS = 500
/** Interval, in milliseconds, at which the requests of an open loop are sent. */
const STEP_MS = 2
/** Time, in milliseconds, after which a client gives up, closes its connection and opens another. */
const DEADLINE_MS = 2_000

export type LoopOutcome = {
  /** Responses with status 200 per second. Responses after the last request was due do not count. */
  perSecond: number
  /** Latencies of all responses with status 200, in milliseconds, in ascending order. */
  latencies: number[]
  /** Responses with status 503 and `Retry-After`. */
  refused: number
  /** Requests whose client gave up. */
  expired: number
  /** Everything else. */
  failed: number
}

type Loop = { url: URL; pathOf: (n: number) => string; authorization: string; seconds: number }

/** Sends requests from clients that wait for each response. */
export async function closedLoop(clients: number, loop: Loop): Promise<LoopOutcome> {
  const load = new Load(loop)
  await load.open(clients)
  const until = performance.now() + loop.seconds * 1_000
  const run = async () => {
    while (performance.now() < until) await load.send(performance.now())
  }
  await Promise.all(Array.from({ length: clients }, run))
  return load.end(until)
}

/**
 * Sends requests at a fixed rate, whether or not earlier ones were answered. Latency counts from the time a request was
 * due, so a late generator does not hide it.
 */
export async function openLoop(perSecond: number, loop: Loop): Promise<LoopOutcome> {
  const load = new Load(loop)
  await load.open(CONNECTIONS)
  const sending: Promise<void>[] = []
  const started = performance.now()
  const count = Math.floor(perSecond * loop.seconds)
  while (sending.length < count) {
    const due = started + (sending.length * 1_000) / perSecond
    if (due <= performance.now()) sending.push(load.send(due))
    else await sleep(STEP_MS)
  }
  await Promise.all(sending)
  return load.end(started + loop.seconds * 1_000)
}

/** Clients that keep their connections, and count responses. */
class Load {
  readonly #loop: Loop
  readonly #head: string
  readonly #free: Connection[] = []
  readonly #accepted: { at: number; latency: number }[] = []
  #sent = 0
  #refused = 0
  #expired = 0
  #failed = 0

  constructor(loop: Loop) {
    this.#loop = loop
    this.#head = ` HTTP/1.1\r\nhost: ${loop.url.host}\r\nauthorization: ${loop.authorization}\r\n\r\n`
  }

  async open(count: number) {
    for (let opened = 0; opened < count; opened += 1) {
      const connection = new Connection(this.#loop.url)
      await connection.opened
      this.#free.push(connection)
    }
  }

  /** @param due time at which the client wants to send the request */
  async send(due: number) {
    const connection = this.#free.pop() ?? new Connection(this.#loop.url)
    const left = Math.max(1, due + DEADLINE_MS - performance.now())
    const request = `GET ${this.#loop.pathOf(this.#sent++)}${this.#head}`
    const head = await connection.ask(request, left)
    const now = performance.now()
    if (head.startsWith('HTTP/1.1 200')) this.#accepted.push({ at: now, latency: now - due })
    else if (head.startsWith('HTTP/1.1 503') && /^retry-after: /im.test(head)) this.#refused += 1
    else if (head === '' && now >= due + DEADLINE_MS) this.#expired += 1
    else this.#failed += 1
    if (connection.isUsable) this.#free.push(connection)
  }

  /** @param end time from which responses are too late to count as throughput */
  end(end: number): LoopOutcome {
    for (const connection of this.#free) connection.close()
    const inTime = this.#accepted.filter(({ at }) => at <= end)
    return {
      perSecond: inTime.length / this.#loop.seconds,
      latencies: this.#accepted.map(({ latency }) => latency).toSorted((a, b) => a - b),
      refused: this.#refused,
      expired: this.#expired,
      failed: this.#failed,
    }
  }
}

const HEAD_END = '\r\n\r\n'

/**
 * Connection that sends one request at a time. It reads only what it needs, so that it takes less processor time than
 * the server.
 */
class Connection {
  readonly #socket: Socket
  #head = ''
  /** Bytes of the body that are missing. Undefined until the head is complete. */
  #missing: number | undefined
  #finish = (_head: string) => {}
  readonly opened: Promise<unknown>

  constructor({ hostname, port }: URL) {
    const socket = connect({ port: Number(port), host: hostname, noDelay: true })
    this.#socket = socket
    this.opened = new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
    socket.on('error', () => {})
    socket.on('data', (packet: Buffer) => this.#read(packet))
    socket.on('close', () => this.#finish(''))
  }

  get isUsable() {
    return !this.#socket.destroyed && this.#socket.writable
  }

  close() {
    this.#socket.destroy()
  }

  /**
   * Sends a request.
   *
   * @returns the head of the response, or an empty text if the connection was lost or the time was over
   */
  ask(request: string, milliseconds: number): Promise<string> {
    return new Promise((resolve) => {
      if (!this.isUsable) return resolve('')
      const timer = setTimeout(() => this.close(), milliseconds)
      this.#head = ''
      this.#missing = undefined
      this.#finish = (head) => {
        clearTimeout(timer)
        this.#finish = () => {}
        resolve(head)
      }
      this.#socket.write(request)
    })
  }

  #read(packet: Buffer) {
    if (this.#missing === undefined) {
      this.#head += packet.toString('latin1')
      const end = this.#head.indexOf(HEAD_END)
      if (end === -1) return
      const received = this.#head.length - end - HEAD_END.length
      this.#head = this.#head.slice(0, end)
      this.#missing = Number(/^content-length: (\d+)/im.exec(this.#head)?.[1] ?? 0) - received
    } else this.#missing -= packet.length
    if (this.#missing > 0) return
    const isLast = /^connection: close/im.test(this.#head)
    const head = this.#head
    if (isLast) this.#socket.destroy()
    this.#finish(head)
  }
}
