import { fileURLToPath } from 'node:url'
import type { Children } from './children.ts'

const SCRIPT = fileURLToPath(new URL('../wrk.lua', import.meta.url))

export type Load = {
  url: string
  seconds: number
  headers?: Record<string, string>
  connections?: number
  /** Replaces the ID at the end of the URL with a random one from 1 to this number. */
  ids?: number
  /** Mean pause of a connection before each request, in milliseconds. */
  think?: number
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
  perSecond: number
  /** p50 and p99 latency, in microseconds. */
  p50: number
  p99: number
}

/**
 * Sends as many requests as the server can answer, by default over 32 connections.
 *
 * @throws {Error} if any request failed, because a fast refusal would count as speed
 */
export async function wrk(children: Children, load: Load): Promise<WrkOutcome> {
  const { url, seconds, headers = {}, connections = 32, ids, think, form, tokens, ratings } = load
  const requestHeaders = Object.entries(headers).flatMap(([name, value]) => [
    '-H',
    `${name}: ${value}`,
  ])
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', SCRIPT]
  const behavior = Object.entries({ ids, think, form, tokens, ratings }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  )
  const output = await children.run(['wrk', ...options, ...requestHeaders, url, '--', ...behavior])
  const numbers = (output.trim().split('\n').at(-1) ?? '').split(' ').map(Number)
  const [requests = 0, microseconds = 0, failed = 0, p50 = 0, p99 = 0] = numbers
  if (failed > 0 || requests === 0)
    throw new Error(`${failed} of ${requests} requests to ${url} failed`)
  return { requests, perSecond: (requests * 1e6) / microseconds, p50, p99 }
}
