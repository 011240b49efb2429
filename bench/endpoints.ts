import { PlainBrowser } from '#test/browser.ts'
import { ALL_SCOPES } from '#test/authorization.ts'
import { SeededRandom } from '#test/seeded-random.ts'
import { CONSOLE_CLIENT_ID, consoleRedirectUri } from '../src/apps/operator/first-party.ts'
import { watchMachine, type Busy } from './support/busy.ts'
import type { Claim } from './support/claim.ts'
import {
  readApiDocument,
  requestsOfApi,
  requestsOfLists,
  requestsOfPages,
  type RequestSender,
  type EndpointRequest,
} from './support/endpoint-requests.ts'
import { importCatalog, openCatalog, type ImportedCatalog } from './support/imported-catalog.ts'
import type { Result } from './support/report.ts'
import { median } from './support/rounds.ts'
import { applicationToken, type Service } from './support/service.ts'
import type { Stage } from './support/stage.ts'
import type { Subjects } from './support/subjects.ts'
import { tokenByCode } from './support/user-tokens.ts'

const SMALL_WORKS = 1_000
/** Maximum ratio of the time on the large catalog to the time on the small one. */
const MAX_RATIO = 1.3
/** Number of requests of each type on each catalog: first to warm the caches, then to measure. */
const WARM_UP_REQUESTS = 8
const MEASURED_REQUESTS = 32
/** Quantile of the measured times that is compared. Slower times are caused by other work on the machine. */
const QUANTILE = 0.3
/** Number of request types that are listed individually. */
const MAX_LISTED = 10

/** Measures the slowdown of every uncached endpoint and page with a thousand times the works and ratings. */
export const endpoints: Claim = {
  name: 'endpoints',
  async measure(stage) {
    const requests = [
      ...requestsOfApi(readApiDocument()),
      ...requestsOfLists(),
      ...requestsOfPages(),
    ]
    const [few, many] = stage.catalogs
      ? [
          await openCatalog(stage, stage.catalogs.few),
          await openCatalog(stage, stage.catalogs.many),
        ]
      : [await importCatalog(stage, SMALL_WORKS), await importCatalog(stage, stage.works)]
    const sides = [await openSide(stage, few), await openSide(stage, many)] as const
    const endWatch = watchMachine()
    const measured: Measured[] = []
    for (const request of requests) measured.push(await measure(stage, request, sides))
    const busy = endWatch()
    await Promise.all(sides.map(({ service }) => service.stop()))
    return toResults(measured, [few.catalog.works, many.catalog.works], busy)
  },
}

type Side = {
  service: Service
  subjects: Subjects
  headers: Record<RequestSender, Record<string, string>>
  random: SeededRandom
}

async function openSide(stage: Stage, { catalog, subjects }: ImportedCatalog): Promise<Side> {
  const service = await stage.serve(catalog, { CATALOG_CACHE_MIB: '0', IMAGES: 'off' })
  const asApplication = await applicationToken(service.url, catalog.app, 'catalog:sync')
  const browser = new PlainBrowser(service.url)
  const asUser = await tokenByCode(browser, subjects.user, {
    app: subjects.ownApp,
    scope: ALL_SCOPES.join(' '),
  })
  const asDeveloper = await tokenByCode(browser, subjects.user, {
    app: { clientId: CONSOLE_CLIENT_ID, secret: '' },
    scope: 'developer:apps',
    redirectUri: consoleRedirectUri(service.url),
  })
  const html = { accept: 'text/html' }
  return {
    service,
    subjects,
    headers: {
      anonymous: {},
      application: { authorization: `Bearer ${asApplication}` },
      user: { authorization: `Bearer ${asUser}` },
      developer: { authorization: `Bearer ${asDeveloper}` },
      guest: html,
      'signed in': { ...html, cookie: browser.cookieHeader() },
    },
    random: new SeededRandom(1),
  }
}

/** Response times on one catalog, in milliseconds: the compared quantile, the median, and all measurements. */
type Times = { quantile: number; median: number; all: number[] }
export type Measured = { name: string; few: Times; many: Times }

async function measure(
  stage: Stage,
  request: EndpointRequest,
  [few, many]: readonly [Side, Side],
): Promise<Measured> {
  const times: [few: number[], many: number[]] = [[], []]
  for (let n = 0; n < WARM_UP_REQUESTS + MEASURED_REQUESTS; n += 1) {
    const pair = [await send(request, few), await send(request, many)] as const
    await stage.turns?.pass()
    if (n < WARM_UP_REQUESTS) continue
    times[0].push(pair[0])
    times[1].push(pair[1])
  }
  return { name: request.name, few: requestTimes(times[0]), many: requestTimes(times[1]) }
}

/**
 * Sends a request.
 *
 * @returns milliseconds until the response is complete
 */
async function send(
  { name, sender, path: fillPath }: EndpointRequest,
  { service, subjects, headers, random }: Side,
): Promise<number> {
  const path = fillPath(subjects, () => random.next())
  const began = performance.now()
  const response = await fetch(service.url + path, { headers: headers[sender], redirect: 'manual' })
  const text = await response.text()
  const time = performance.now() - began
  if (response.status !== 200)
    throw new Error(`${name}: ${response.status} for ${path}: ${text.slice(0, 500)}`)
  return time
}

export function requestTimes(all: number[]): Times {
  const sorted = all.toSorted((a, b) => a - b)
  return {
    quantile: sorted[Math.floor(sorted.length * QUANTILE)] ?? Number.NaN,
    median: median(sorted),
    all,
  }
}

const ratioOf = ({ few, many }: Measured) => many.quantile / few.quantile

/**
 * Reports how many requests stay within the limit and which grow most.
 *
 * @param works number of works in the two catalogs
 */
export function toResults(
  measured: Measured[],
  works: [few: number, many: number],
  busy: Busy | undefined,
): Result[] {
  const [few, many] = works.map((count) => count.toLocaleString('en'))
  const within = measured.filter((item) => ratioOf(item) <= MAX_RATIO)
  const worst = measured.toSorted((a, b) => ratioOf(b) - ratioOf(a)).slice(0, MAX_LISTED)
  return [
    {
      row: `requests within ${MAX_RATIO} of ${few} works, ${many} works`,
      measured: String(within.length),
      ratio: (within.length / measured.length).toFixed(2),
      target: `all ${measured.length}`,
      met: within.length === measured.length,
      busy,
      series: [{ unit: 'ms', better: 'less', values: measured.flatMap((item) => item.many.all) }],
    },
    ...worst.map((one): Result => ({
      row: `  ${one.name}`,
      measured: describeTimes(one.many),
      floor: describeTimes(one.few),
      ratio: ratioOf(one).toFixed(2),
      target: `≤ ${MAX_RATIO}`,
      met: ratioOf(one) <= MAX_RATIO,
      busy,
    })),
  ]
}

const describeTimes = ({ quantile, median: p50 }: Times) =>
  `${quantile.toFixed(1)} ms, p50 ${p50.toFixed(1)}`
