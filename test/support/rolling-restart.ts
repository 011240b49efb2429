import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

export type Attempt = {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

/**
 * Maximum number of requests per second. nginx opens a connection for each by default, and a closed one occupies its port
 * for a minute, so that more would use up the 28,000 ports to a service.
 */
const MAX_PER_SECOND = 600

/**
 * Sends the requests in a loop from several clients that keep their connections alive.
 *
 * @returns counts of requests sent, failures and responding processes so far, and a function that ends the load
 */
export function startLoad(port: number, attempts: Attempt[], clients: number) {
  const failures: string[] = []
  /** Number of responses by process, which the prefix of the request ID identifies. */
  const processes = new Map<string, number>()
  let sent = 0
  const ending = new AbortController()
  const agent = new Agent({ keepAlive: true, maxSockets: clients })

  async function send({ method, path, headers, body }: Attempt) {
    const sending = request({ host: '127.0.0.1', port, method, path, headers, agent })
    sending.end(body)
    const [response] = await once(sending, 'response')
    const received = await text(response)
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${received}`)
    const id = response.headers['x-request-id']
    if (typeof id !== 'string') return
    const [name = ''] = id.split('-')
    processes.set(name, (processes.get(name) ?? 0) + 1)
  }

  async function run() {
    while (!ending.signal.aborted) {
      const attempt = attempts[sent % attempts.length]
      sent += 1
      if (attempt)
        await send(attempt).catch((error: unknown) =>
          failures.push(
            `${new Date().toISOString()} ${attempt.method} ${attempt.path}: ${String(error)}`,
          ),
        )
      await sleep(pause)
    }
  }
  const pause = (clients * 1_000) / MAX_PER_SECOND
  const running = Array.from({ length: clients }, run)

  return {
    failures,
    processes,
    get sent() {
      return sent
    },
    async end() {
      ending.abort()
      await Promise.all(running)
      agent.destroy()
    },
  }
}
