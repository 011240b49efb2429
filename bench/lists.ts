import { fillListings } from '#test/listings.ts'
import { watchMachine } from './support/busy.ts'
import { onCatalog, type Catalog } from './support/catalog.ts'
import type { Claim } from './support/claim.ts'
import { toLatencyResult, type Result } from './support/report.ts'
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
  return toLatencyResult(`page of a list, ${row}`, times, endWatch(), MAX_MILLISECONDS)
}

/**
 * Generates listings for the galgames of the catalog with realistic variety. Background tasks do not process these
 * changes.
 */
const fill = (catalog: Catalog) => onCatalog(catalog, (db) => fillListings(db, catalog.works))
