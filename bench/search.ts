import { sql } from 'kysely'
import { migrate } from '../src/db/upkeep/migrate.ts'
import { watchMachine } from './support/busy.ts'
import { makeApp, onCatalog, type Catalog } from './support/catalog.ts'
import type { Claim } from './support/claim.ts'
import { fillNames } from './support/fill-names.ts'
import { pairsOf } from './support/make-names.ts'
import { toLatencyResult, type Result } from './support/report.ts'
import type { Stage } from './support/stage.ts'

/** Number of measured queries per row, and number of queries with other names that warm the caches beforehand. */
const QUERIES = 100

/** Measures single searches, one after another, on catalogs whose entries have realistic names. */
export const searchClaim: Claim = {
  name: 'search',
  async measure(stage) {
    const results: Result[] = []
    for (const works of stage.quick ? [stage.works] : [10_000, 100_000, stage.works])
      results.push(
        ...(await measureSearch(stage, await stage.emptyOnServer(`search_${works}`), works, 20)),
      )
    const works = Math.min(stage.works, 20_000)
    return [...results, ...(await measureSearch(stage, stage.emptyEmbedded('search'), works, 8))]
  },
}

async function measureSearch(
  stage: Stage,
  where: Omit<Catalog, 'app' | 'works'>,
  works: number,
  max: number,
): Promise<Result[]> {
  const endFill = watchMachine()
  const { catalog, names, build, size } = await fill(stage, { ...where, works })
  const service = await stage.serve(catalog)
  const base = new URL('/v3/', service.detail(1)).href
  const description = `${works.toLocaleString('en')} entries${where.databaseUrl ? '' : ', embedded'}`
  const { common, rare } = pairsOf(names, 2 * QUERIES)
  const rows: [string, string, string[]][] = [
    ['exact', 'search?page_size=10&q=', names],
    ['two characters, common', 'search?page_size=10&q=', common],
    ['two characters, rare', 'search?page_size=10&q=', rare],
    ['instant, as typed', 'search/instant?q=', names.map((name) => [...name].slice(0, 3).join(''))],
  ]
  const results: Result[] = [
    {
      row: `index of names, ${description}`,
      measured: size,
      ratio: `${((build * 1_000_000) / works).toFixed(0)} µs an entry`,
      busy: endFill(),
    },
  ]
  for (const [row, path, queries] of rows) {
    const endWatch = watchMachine()
    const times: number[] = []
    for (const [index, query] of queries.entries()) {
      const began = performance.now()
      const response = await fetch(`${base}${path}${encodeURIComponent(query)}`, {
        headers: service.headers,
      })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`${row}: ${response.status} for ${query}`)
      if (index >= QUERIES) times.push(performance.now() - began)
      await stage.turns?.pass()
    }
    results.push(toLatencyResult(`search ${row}, ${description}`, times, endWatch(), max))
  }
  await service.stop()
  return results
}

const fill = (stage: Stage, where: Omit<Catalog, 'app'>) =>
  onCatalog(where, async (db) => {
    await migrate(db, stage.migrations)
    const build = await fillNames(db, where.works)
    const app = await makeApp(db, { scopes: ['catalog:full'] })
    const { rows } = await sql<{ name: string }>`
      select origin_title as name from galgames order by id % 997, id limit ${sql.lit(2 * QUERIES)}`.execute(
      db,
    )
    const { rows: sizes } = await sql<{ size: string }>`
      select pg_size_pretty(pg_total_relation_size('search_entries')) as size`.execute(db)
    const names = rows.map(({ name }) => name)
    return { catalog: { ...where, app }, names, build, size: sizes[0]?.size ?? '' }
  })
