import { startRedis } from '#test/redis.ts'
import { compareWithBytes } from './floors/start.ts'
import type { Claim } from './support/claim.ts'
import { toResult, type Result } from './support/report.ts'
import type { Stage } from './support/stage.ts'

/** Browser headers without compression, because the floor does not compress. */
const HEADERS = { accept: 'text/html', 'accept-encoding': 'identity' }

type Row = {
  row: string
  /** Minimum share of the floor's speed. */
  least: number
  /** Path of a guest page. By default, an app requests a detail. */
  page?: string
  /** True if the client already has the response and gets 304. */
  isConditional?: true
}

/** Measures cached responses against a bare server that sends the same bytes. */
async function measure(stage: Stage, rows: Row[], settings = {}): Promise<Result[]> {
  const service = await stage.serve(await stage.catalog(), settings)
  const results: Result[] = []
  for (const { row, least, page, isConditional } of rows) {
    const request =
      page === undefined
        ? { url: service.detail(500), headers: service.headers }
        : { url: service.url + page, headers: HEADERS }
    const load = isConditional && (await conditionalHeaders(request))
    const comparison = await compareWithBytes(stage, service, request, load)
    results.push(toResult(row, comparison, least))
  }
  await service.stop()
  return results
}

async function conditionalHeaders(request: { url: string; headers: Record<string, string> }) {
  const { headers } = await fetch(request.url, request)
  const conditional = { ...request.headers, 'if-none-match': headers.get('etag') ?? '' }
  const { status } = await fetch(request.url, { headers: conditional })
  if (status !== 304) throw new Error(`Expected 304 for a matching If-None-Match, got ${status}`)
  return conditional
}

/** Measures a cached detail with token, throttle, ETag and all headers. */
export const warmDetail: Claim = {
  name: 'warm',
  measure: (stage) => measure(stage, [{ row: 'warm detail', least: 0.8 }]),
}

/** Measures 304 responses. The floor sends the whole body. */
export const notModified: Claim = {
  name: '304',
  measure: (stage) =>
    measure(stage, [{ row: '304 on a warm detail', least: 0.75, isConditional: true }]),
}

export const page: Claim = {
  name: 'page',
  measure: (stage) =>
    measure(stage, [
      { row: 'list page, kept', least: 0.4, page: '/galgames' },
      { row: 'entry page, kept', least: 0.4, page: '/galgames/1' },
    ]),
}

/** Measures the warm detail with the throttle in Redis, as several processes share it. */
export const sharedThrottle: Claim = {
  name: 'redis',
  async measure(stage) {
    const redis = await startRedis()
    const row = { row: 'warm detail, throttle in Redis', least: 0.7 }
    return measure(stage, [row], { REDIS_URL: redis.url }).finally(() => redis.stop())
  },
}
