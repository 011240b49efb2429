import { setTimeout as sleep } from 'node:timers/promises'

export type RedisFacts = {
  isReplica: boolean
  /** Maximum memory, in bytes; 0 if there is no limit. */
  maxBytes: number
  /** Eviction policy, such as `noeviction`. */
  policy: string
  /** Median duration of a command, in milliseconds. */
  latencyMs: number
}

const SAMPLES = 5

/**
 * Returns the state of a Redis server.
 *
 * @throws {Error} if the server is unreachable, or does not respond within `timeoutMs`
 */
export async function findRedisFacts(url: string, timeoutMs: number): Promise<RedisFacts> {
  const { Redis } = (await import('ioredis')).default
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
  })
  // `connect` rejects with a general error. The cause is only in this event.
  const failed = new Promise<never>((_resolve, reject) => redis.once('error', reject))
  failed.catch(() => {})
  const stop = new AbortController()
  const silent = sleep(timeoutMs, undefined, { signal: stop.signal }).then(() => {
    throw Object.assign(new Error(`Redis did not respond within ${timeoutMs} ms`), {
      code: 'ETIMEDOUT',
    })
  })
  silent.catch(() => {})
  const ask = async () => {
    await redis.connect().catch(() => failed)
    const durations: number[] = []
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const began = performance.now()
      await redis.ping()
      durations.push(performance.now() - began)
    }
    const lines = (await redis.info()).split('\r\n')
    const facts = new Map(
      lines.map((line): [string, string] => {
        const [name = '', value = ''] = line.split(':')
        return [name, value]
      }),
    )
    return {
      isReplica: facts.get('role') === 'slave',
      maxBytes: Number(facts.get('maxmemory') ?? 0),
      policy: facts.get('maxmemory_policy') ?? 'noeviction',
      latencyMs: durations.toSorted((a, b) => a - b)[Math.floor(SAMPLES / 2)] ?? 0,
    }
  }
  try {
    return await Promise.race([ask(), failed, silent])
  } finally {
    stop.abort()
    redis.disconnect()
  }
}
