import { fileURLToPath } from 'node:url'
import type { Children } from './children.ts'

/** Maximum connections per wrk thread, which scans all of its timers to find the next one. */
const MAX_PER_THREAD = 300

const SCRIPT = fileURLToPath(new URL('../wrk.lua', import.meta.url))

export type Load = {
  url: string
  seconds: number
  headers?: Record<string, string>
  connections?: number
  /** Replaces the ID at the end of the URL's path with a random one from 1 to this number. */
  ids?: number
  /** Mean pause of a connection before each request, in milliseconds. */
  think?: number
  /** Sends a mix of details and lists of a catalog with this number of works. */
  mix?: number
  /** Time, in seconds, after which a client gives up. 10 by default. */
  timeout?: number
  /** Whether the server may refuse requests, and clients may give up. */
  mayRefuse?: boolean
  /** Form to send with POST. */
  form?: string
  /** File with one bearer token per line. Each request takes one of them. */
  tokens?: string
  /** Sends a rating with a random score by PUT. */
  ratings?: boolean
}

/** Result of a load test. */
export type WrkOutcome = {
  requests: number
  /** Responses with a status from 400 on. */
  refused: number
  perSecond: number
  /** p50 and p99 latency, in microseconds. */
  p50: number
  p99: number
}

/**
 * Sends as many requests as the server can answer, by default over 32 connections.
 *
 * @throws {Error} if any request failed and refusals are not permitted, because a fast refusal would count as speed
 */
export async function wrk(children: Children, load: Load): Promise<WrkOutcome> {
  const {
    url,
    seconds,
    headers = {},
    connections = 32,
    timeout = 10,
    mayRefuse,
    ...behavior
  } = load
  const requestHeaders = Object.entries(headers).flatMap(([name, value]) => [
    '-H',
    `${name}: ${value}`,
  ])
  const threads = Math.ceil(connections / MAX_PER_THREAD)
  const options = [`-t${threads}`, `-c${connections}`, `-d${seconds}s`, '--timeout', `${timeout}s`]
  const script = ['-s', SCRIPT, ...requestHeaders, url, '--']
  for (const [name, value] of Object.entries(behavior))
    if (value !== undefined) script.push(`${name}=${value}`)
  const output = await children.run(['wrk', ...options, ...script])
  const numbers = (output.trim().split('\n').at(-1) ?? '').split(' ').map(Number)
  const [requests = 0, microseconds = 0, failed = 0, refused = 0, p50 = 0, p99 = 0] = numbers
  if ((!mayRefuse && failed + refused > 0) || requests === 0)
    throw new Error(`${failed + refused} of ${requests} requests to ${url} failed`)
  return { requests, refused, perSecond: (requests * 1e6) / microseconds, p50, p99 }
}
