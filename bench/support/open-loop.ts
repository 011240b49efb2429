import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Connections of an open loop. They are opened before it starts, because opening them under load would measure the
 * kernel's queue. A request waits for a free one, which counts as latency.
 */
const CONNECTIONS = 1_000
/** Interval, in milliseconds, at which the requests of an open loop are sent. */
const STEP_MS = 5

export type LoopOutcome = {
  /** Responses with status 200 per second. */
  perSecond: number
  /** Latencies of these, in milliseconds, in ascending order. */
  latencies: number[]
  /** Responses with status 503 and `Retry-After`. */
  refused: number
  /** Everything else. */
  failed: number
}

type Loop = { url: URL; pathOf: (n: number) => string; authorization: string; seconds: number }

/** Sends requests from clients that wait for each response. */
export async function closedLoop(clients: number, loop: Loop): Promise<LoopOutcome> {
  const { open, send, end } = client(loop)
  await open(clients)
  const until = performance.now() + loop.seconds * 1_000
  const run = async () => {
    while (performance.now() < until) await send()
  }
  await Promise.all(Array.from({ length: clients }, run))
  return end()
}

/** Sends requests at a fixed rate, whether or not earlier ones were answered. */
export async function openLoop(perSecond: number, loop: Loop): Promise<LoopOutcome> {
  const { open, send, end } = client(loop)
  await open(CONNECTIONS)
  const sending: Promise<void>[] = []
  const started = performance.now()
  for (let elapsed = 0; elapsed < loop.seconds * 1_000; elapsed = performance.now() - started) {
    while (sending.length < (elapsed / 1_000) * perSecond) sending.push(send())
    await sleep(STEP_MS)
  }
  await Promise.all(sending)
  return end()
}

/**
 * Creates a client that keeps its connections and counts responses. It reads only what it needs, so that it takes less
 * processor time than the server.
 */
function client({ url, pathOf, authorization, seconds }: Loop) {
  const free: Socket[] = []
  const waiting: ((socket: Socket) => void)[] = []
  const latencies: number[] = []
  let [refused, failed, sent] = [0, 0, 0]
  const head = ` HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: ${authorization}\r\n\r\n`

  const connection = () =>
    connect({ port: Number(url.port), host: url.hostname, noDelay: true }).on('error', () => {})

  /** Returns a connection for the next request; a new one if it was closed. */
  function release(socket: Socket) {
    const usable = socket.destroyed || !socket.writable ? connection() : socket
    const next = waiting.shift()
    if (next) next(usable)
    else free.push(usable)
  }

  async function send() {
    const started = performance.now()
    const socket = free.pop() ?? (await new Promise<Socket>((resolve) => waiting.push(resolve)))
    const response = read(socket)
    socket.write(`GET ${pathOf(sent++)}${head}`)
    const text = await response
    if (text.startsWith('HTTP/1.1 200')) latencies.push(performance.now() - started)
    else if (text.startsWith('HTTP/1.1 503') && /^retry-after: /im.test(text)) refused += 1
    else failed += 1
    release(socket)
  }

  return {
    async open(count: number) {
      const opened = Array.from({ length: count }, connection)
      await Promise.all(opened.map((socket) => once(socket, 'connect')))
      free.push(...opened)
    },
    send,
    end(): LoopOutcome {
      for (const socket of free) socket.destroy()
      latencies.sort((a, b) => a - b)
      return { latencies, perSecond: latencies.length / seconds, refused, failed }
    },
  }
}

/**
 * Reads one response with a `Content-Length`.
 *
 * @returns its head, or an empty text if the connection was lost
 */
function read(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    let length: number | undefined
    const finish = (head: string) => {
      socket.off('data', onData).off('close', onClose)
      resolve(head)
    }
    const onClose = () => finish('')
    const onData = (packet: Buffer) => {
      received += packet.toString('latin1')
      const bodyAt = received.indexOf('\r\n\r\n') + 4
      if (bodyAt < 4) return
      length ??= bodyAt + Number(/^content-length: (\d+)/im.exec(received)?.[1] ?? 0)
      if (received.length >= length) finish(received.slice(0, bodyAt))
    }
    socket.on('data', onData).on('close', onClose)
  })
}
