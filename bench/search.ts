import { sql } from 'kysely'
import { createApp } from '../src/apps/queries.ts'
import { openDatabase } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import type { Catalog } from './support/catalog.ts'
import type { Claim } from './support/claim.ts'
import { fillNames } from './support/fill-names.ts'
import type { Result } from './support/report.ts'
import type { Stage } from './support/stage.ts'

/** Queries of a row. */
const QUERIES = 100

/** How long one search takes, one after the other, on a catalog whose every entry has names like real ones. */
export const searchClaim: Claim = {
  name: 'search',
  async measure(stage) {
    const results: Result[] = []
    for (const [where, most] of [
      [await stage.emptyOnServer('search'), 20],
      [stage.emptyEmbedded('search'), 10],
    ] as const)
      results.push(...(await measureSearch(stage, where, most)))
    return results
  },
}

async function measureSearch(
  stage: Stage,
  where: Omit<Catalog, 'app' | 'works'>,
  most: number,
): Promise<Result[]> {
  const entries = where.databaseUrl ? stage.works : Math.min(stage.works, 50_000)
  const { catalog, names, build, size } = await fill({ ...where, works: entries })
  const service = await stage.serve(catalog)
  const base = new URL('/v3/', service.detail(1)).href
  const results: Result[] = []
  const rows: [string, string, (name: string) => string][] = [
    ['exact', 'search?page_size=10&q=', (name) => name],
    ['two characters', 'search?page_size=10&q=', (name) => [...name].slice(0, 2).join('')],
    ['instant, as typed', 'search/instant?q=', (name) => [...name].slice(0, 3).join('')],
  ]
  for (const [row, path, partOf] of rows) {
    const times: number[] = []
    for (const name of names) {
      const began = performance.now()
      const response = await fetch(`${base}${path}${encodeURIComponent(partOf(name))}`, {
        headers: service.headers,
      })
      await response.arrayBuffer()
      if (response.ok) times.push(performance.now() - began)
    }
    const sorted = times.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Infinity
    results.push({
      row: `search ${row}, ${entries.toLocaleString('en')} ${where.databaseUrl ? 'entries' : 'embedded'} (index ${size}, ${Math.round(build)} s)`,
      measured: `${at(0.95).toFixed(1)} ms p95`,
      floor: `${at(0.5).toFixed(1)} ms p50`,
      ratio: at(0.95).toFixed(1),
      target: `≤ ${most} ms`,
      met: at(0.95) <= most,
    })
  }
  await service.stop()
  return results
}

async function fill(where: Omit<Catalog, 'app'>) {
  const { db, close } = await openDatabase({
    ...where,
    databasePoolSize: 1,
    databasePreparedStatements: true,
  })
  try {
    await migrate(db)
    const build = await fillNames(db, where.works)
    const { app, secret = '' } = await createApp(db, { clientName: 'Bench', scopes: ['catalog:full'] })
    const { rows } = await sql<{ name: string }>`
      select origin_title as name from galgames order by id % 997, id limit ${sql.lit(QUERIES)}`.execute(db)
    const { rows: sizes } = await sql<{ size: string }>`
      select pg_size_pretty(pg_total_relation_size('search_entries')) as size`.execute(db)
    const names = rows.map(({ name }) => name)
    return {
      catalog: { ...where, app: { clientId: app.client_id, secret } },
      names,
      build,
      size: sizes[0]?.size ?? '',
    }
  } finally {
    await close()
  }
}
