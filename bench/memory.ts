import { watchMachine } from './support/busy.ts'
import type { Catalog } from './support/catalog.ts'
import type { Claim } from './support/claim.ts'
import type { Result } from './support/report.ts'
import type { Stage } from './support/stage.ts'
import { wrk } from './support/wrk.ts'

/** Galgames asked for: some; and more than the memory for answers (`CATALOG_CACHE_MIB`) holds by default. */
const SOME = 1_000
const MANY = 25_000

/** Resident memory of the service after many requests. */
export const memory: Claim = {
  name: 'memory',
  async measure(stage) {
    const server = await stage.catalog()
    const embedded = await stage.embeddedCatalog(SOME)
    return [
      await measureMemory(stage, server, { what: 'PostgreSQL', ids: SOME, most: 160 }),
      await measureMemory(stage, embedded, { what: 'embedded', ids: SOME, most: 280 }),
      await measureMemory(stage, server, {
        what: 'memory for answers full',
        ids: Math.min(MANY, stage.works),
      }),
    ]
  },
}

type Requests = {
  what: string
  /** Of how many galgames. */
  ids: number
  /** Mebibytes; without it the row is for information. */
  most?: number
}

async function measureMemory(stage: Stage, catalog: Catalog, { what, ids, most }: Requests): Promise<Result> {
  const service = await stage.serve(catalog)
  // What fills the memory for answers is full long before a million.
  const wanted = stage.quick ? 100_000 : most === undefined ? 200_000 : 1_000_000
  const load = { url: service.detail(1), headers: service.headers, seconds: 5, ids }
  const endWatch = watchMachine()
  let requests = 0
  while (requests < wanted) requests += (await wrk(stage.children, load)).requests
  const { now, peak } = service.memory()
  await service.stop()
  await stage.turns?.pass()
  return {
    row: `memory after ${wanted / 1e6} M requests, ${what}`,
    measured: mebibytes(now),
    floor: `highest ${mebibytes(peak)}`,
    ratio: '',
    target: most === undefined ? '' : `≤ ${most} MiB`,
    met: most === undefined ? undefined : now <= most * 2 ** 20,
    busy: endWatch(),
    series: [{ unit: 'MiB', better: 'less', values: [now / 2 ** 20] }],
  }
}

const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`
