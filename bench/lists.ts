import { fillListings } from '#test/listings.ts'
import { openDatabase } from '../src/db/database.ts'
import { withDeadline } from '../src/db/server/deadlines.ts'
import { watchMachine } from './support/busy.ts'
import type { Catalog } from './support/catalog.ts'
import type { Claim } from './support/claim.ts'
import type { Result } from './support/report.ts'
import type { Service } from './support/service.ts'
import type { Stage } from './support/stage.ts'

/** Maximum p95 latency of a page, in milliseconds. */
const MAX_MILLISECONDS = 20
const REQUESTS = 200
const SORTS = ['popularity', 'score', 'date', 'name', 'changed']

/** Filters, keyed by request number, with values from frequent to rare. */
const FILTERS: [row: string, query: (n: number) => string][] = [
  ['no filter', () => ''],
  ['one frequent filter', (n) => `platform=${n % 3}`],
  [
    'one filter, of any frequency',
    (n) => `producer=${1 + Math.floor(20_000 * ((n % 97) / 97) ** 2)}`,
  ],
  [
    'status, year, platform',
    (n) => `status=${STATUSES[n % 3]}&year=${1990 + (n % 30)}&platform=${n % 7}`,
  ],
  ['person and score', (n) => `person=${1 + ((n * 131) % 50_000)}&min_score=${5 + (n % 5)}`],
  [
    'two producers, a status, without nsfw',
    (n) => `producer=${1 + (n % 40)},${1 + (n % 900)}&status=${STATUSES[n % 2]}&nsfw=false`,
  ],
]
const STATUSES = ['RELEASED', 'IN_DEVELOPMENT', 'CANCELLED']

/** Measures pages of filtered lists in all orders, one after another. */
export const lists: Claim = {
  name: 'lists',
  async measure(stage) {
    const catalog = await stage.catalog()
    await fill(catalog)
    const service = await stage.serve(catalog)
    const results: Result[] = []
    for (const [row, query] of FILTERS) results.push(await measurePages(stage, service, row, query))
    await service.stop()
    return results
  },
}

async function measurePages(
  stage: Stage,
  service: Service,
  row: string,
  query: (n: number) => string,
): Promise<Result> {
  const endWatch = watchMachine()
  const times: number[] = []
  for (let n = 0; n < REQUESTS; n += 1) {
    const started = performance.now()
    const response = await fetch(
      `${service.url}/api/v3/open/galgames?${query(n)}&sort=${SORTS[n % SORTS.length]}`,
      { headers: service.headers },
    )
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${response.status}: ${text}`)
    times.push(performance.now() - started)
    await stage.turns?.pass()
  }
  const busy = endWatch()
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return {
    row: `page of a list, ${row}: p95, p50`,
    measured: `${at(0.95).toFixed(1)} ms`,
    floor: `${at(0.5).toFixed(1)} ms`,
    ratio: '',
    target: `≤ ${MAX_MILLISECONDS} ms`,
    met: at(0.95) <= MAX_MILLISECONDS,
    busy,
    series: [{ unit: 'ms', better: 'less', values: times }],
  }
}

/**
 * Generates listings for the galgames of the catalog with realistic variety. Background tasks do not process these
 * changes.
 */
async function fill(catalog: Catalog) {
  const { db, close } = await openDatabase({
    ...catalog,
    databasePoolSize: 1,
    databasePreparedStatements: true,
  })
  try {
    await withDeadline(Infinity, () => fillListings(db, catalog.works))
  } finally {
    await close()
  }
}
