import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { startPeriodicTask } from '../../kernel/async/periodic-task.ts'
import { isUnavailable } from '../../kernel/is-unavailable.ts'
import { addEndpointUsage } from './endpoint-usage-queries.ts'
import { addRefusedRequests } from './refused-request-queries.ts'
import { type RefusedRequest, RefusedRequestBuffer } from './refused-request-buffer.ts'
import { addUsage, type UsageCounts } from './usage-queries.ts'

export type Usage = {
  /** Increments a counter, in memory. */
  count(clientId: string, counter: keyof UsageCounts): void
  /**
   * Counts a request by its route and the first digit of its status, in memory. A `count` of -1 reverts one.
   */
  countRequest(clientId: string, route: CountedRoute, statusClass: number, count?: number): void
  /** Records that a request from an app was rejected, and why. */
  recordRefusal(clientId: string, describe: () => RefusedRequest): void
  /** Writes the remaining counts. */
  stop(): Promise<void>
}

/**
 * Interval, in milliseconds, at which counts are written. A killed process loses at most the counts of one interval.
 */
const WRITE_MS = 3_000

/** Number of requests, by route and first digit of the status. */
type RouteCounts = Map<CountedRoute, number[]>

/** Counts the usage of apps in memory, so that no request waits for a write. */
export function startUsage(db: Database, log: Logger): Usage {
  let counts = new Map<string, UsageCounts>()
  let routes = new Map<string, RouteCounts>()
  const refused = new RefusedRequestBuffer()

  async function write() {
    await writeRefusedRequests()
    if (counts.size === 0 && routes.size === 0) return
    const written = counts
    const writtenRoutes = routes
    counts = new Map()
    routes = new Map()
    // Apps whose requests were only counted by route are also recorded as used.
    for (const clientId of writtenRoutes.keys())
      if (!written.has(clientId)) written.set(clientId, noCounts())
    try {
      await addUsage(db, written)
      written.clear()
      await addEndpointUsage(db, rowsOf(writtenRoutes))
    } catch (err) {
      for (const [clientId, lost] of written)
        for (const [counter, number] of entriesOf(lost)) add(clientId, counter, number)
      for (const [clientId, lost] of writtenRoutes)
        for (const [route, classes] of lost)
          for (const [statusClass, number] of classes.entries())
            addRequest(clientId, route, statusClass, number)
      throw err
    }
  }

  async function writeRefusedRequests() {
    const rejected = refused.drain()
    if (rejected.length === 0) return
    try {
      await addRefusedRequests(db, rejected)
    } catch (err) {
      // After another error, the same rows would fail again. If the connection was lost after the commit, they are written
      // twice.
      if (isUnavailable(err))
        for (const { client_id, refused: lost } of rejected) refused.add(client_id, () => lost)
      throw err
    }
  }

  function addRequest(clientId: string, route: CountedRoute, statusClass: number, count: number) {
    let app = routes.get(clientId)
    if (!app) routes.set(clientId, (app = new Map()))
    let classes = app.get(route)
    if (!classes) app.set(route, (classes = [0, 0, 0, 0, 0, 0]))
    classes[statusClass] = (classes[statusClass] ?? 0) + count
  }

  function add(clientId: string, counter: keyof UsageCounts, number: number) {
    let app = counts.get(clientId)
    if (!app) counts.set(clientId, (app = noCounts()))
    app[counter] += number
  }

  const logFailure = (err: unknown) =>
    log.warn({ err }, 'Could not write the usage of apps; retrying')
  const writing = startPeriodicTask(WRITE_MS, write, logFailure)

  return {
    count: (clientId, counter) => add(clientId, counter, 1),
    countRequest: (clientId, route, statusClass, count = 1) =>
      addRequest(clientId, route, statusClass, count),
    recordRefusal: (clientId, describe) => refused.add(clientId, describe),
    async stop() {
      await writing.stop()
      await write().catch(logFailure)
    },
  }
}

const noCounts = (): UsageCounts => ({ requests: 0, rate_limited: 0, errors: 0, tokens: 0 })

/** Two routes may have the same endpoint, such as the GET and HEAD routes of a path. */
function rowsOf(routes: ReadonlyMap<string, RouteCounts>) {
  const rows = new Map<
    string,
    { client_id: string; endpoint: string; status_class: number; requests: number }
  >()
  for (const [client_id, counted] of routes)
    for (const [route, classes] of counted)
      for (const [status_class, requests] of classes.entries()) {
        if (requests === 0) continue
        const endpoint = endpointOf(route)
        const key = JSON.stringify([client_id, endpoint, status_class])
        const row = rows.get(key)
        if (row) row.requests += requests
        else rows.set(key, { client_id, endpoint, status_class, requests })
      }
  return [...rows.values()]
}

// as: the record has exactly these keys
const entriesOf = (counts: UsageCounts) => Object.entries(counts) as [keyof UsageCounts, number][]

/** A Fastify route, which is the same object for each of its requests. */
export type CountedRoute = { method: string | string[]; url: string }

/** Returns the method and the path of a route as in the OpenAPI document. */
export function endpointOf({ method, url }: CountedRoute): string {
  const [first = 'GET'] = [method].flat()
  return `${first === 'HEAD' ? 'GET' : first} ${url.replaceAll(/:(\w+)/g, '{$1}')}`.slice(0, 200)
}
