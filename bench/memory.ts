import { watchMachine } from './support/busy.ts'
import type { Catalog } from './support/catalog.ts'
import type { Claim } from './support/claim.ts'
import type { Result } from './support/report.ts'
import type { Stage } from './support/stage.ts'
import { addUsers, RATED_WORKS } from './support/fill-ratings.ts'
import { encodeCredentials, TOKEN_FORM } from './support/service.ts'
import { tokenFile, userTokens } from './support/user-tokens.ts'
import { wrk, type Load } from './support/wrk.ts'

/** Number of galgames to request: a few, or more than the response cache (`CATALOG_CACHE_MIB`) holds by default. */
const FEW_GALGAMES = 1_000
const MANY_GALGAMES = 25_000
const USER_COUNT = 32

/** Paths requested in addition to details, each for a second in turn. */
const OTHER_PATHS = [
  'galgames/1/characters?page_size=50',
  'galgames/1/staff',
  'galgames?sort=score&page_size=50',
  'search?q=no&page_size=20',
  'search/instant?q=ka',
  'people?sort=name',
  'lookup?source=vndb&id=v4',
  'galgames/1/similar',
]

/** Measures the service's resident memory after many requests of all kinds. */
export const memory: Claim = {
  name: 'memory',
  async measure(stage) {
    const server = await stage.catalog()
    const embedded = await stage.embeddedCatalog(FEW_GALGAMES)
    return [
      await measureMemory(stage, server, { name: 'PostgreSQL', ids: FEW_GALGAMES, max: 160 }),
      await measureMemory(stage, embedded, { name: 'embedded', ids: FEW_GALGAMES, max: 260 }),
      await measureMemory(stage, server, {
        name: 'memory for answers full',
        ids: Math.min(MANY_GALGAMES, stage.works),
      }),
    ]
  },
}

type Requests = {
  name: string
  /** Number of galgames requested. */
  ids: number
  /** Limit in mebibytes. If omitted, the row is informational. */
  max?: number
}

async function measureMemory(
  stage: Stage,
  catalog: Catalog,
  { name, ids, max }: Requests,
): Promise<Result> {
  const users = await addUsers(catalog, USER_COUNT)
  const service = await stage.serve(catalog)
  const tokens = tokenFile(stage, await userTokens(service, users))
  // The response cache fills long before a million requests.
  const requestCount = stage.quick ? 100_000 : max === undefined ? 200_000 : 1_000_000
  const endWatch = watchMachine()
  const send = async (load: Load, headers: Load['headers'] = service.headers) =>
    (await wrk(stage.children, { headers, ...load })).requests
  for (let requests = 0; requests < requestCount;) {
    for (const path of OTHER_PATHS)
      requests += await send({ url: `${service.url}/api/v3/open/${path}`, seconds: 1 })
    requests += await send(
      { url: `${service.url}/oidc/token`, form: TOKEN_FORM, seconds: 2 },
      { authorization: encodeCredentials(catalog.app) },
    )
    const ratings = { ids: RATED_WORKS, tokens, ratings: true, seconds: 2 }
    requests += await send({ url: `${service.url}/v3/user/me/rates/galgames/1`, ...ratings }, {})
    requests += await send({ url: service.detail(1), ids, seconds: 5 })
  }
  const { now, peak } = service.memory()
  await service.stop()
  await stage.turns?.pass()
  return {
    row: `memory after ${requestCount / 1e6} M requests, ${name}`,
    measured: mebibytes(now),
    floor: `highest ${mebibytes(peak)}`,
    ...(max !== undefined && { target: `≤ ${max} MiB`, met: now <= max * 2 ** 20 }),
    busy: endWatch(),
    series: [{ unit: 'MiB', better: 'less', values: [now / 2 ** 20] }],
  }
}

const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`
