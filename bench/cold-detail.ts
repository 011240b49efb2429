import { ENTRIES } from '../src/catalog/entries/entries.ts'
import type { Claim } from './support/claim.ts'
import { compareWithStatement, CONNECTIONS, pgbenchStatement } from './support/pgbench.ts'
import { toResult } from './support/report.ts'

/** The service's SQL for one ID. */
const DETAIL = pgbenchStatement(ENTRIES.galgame.statement.text, { 1: 'array[:id]::bigint[]' })

/** Measures uncached details of random galgames against pgbench with the same statement. */
export const coldDetail: Claim = {
  name: 'cold',
  async measure(stage) {
    const catalog = await stage.catalog()
    const service = await stage.serve(catalog, {
      CATALOG_CACHE_MIB: '0',
      DATABASE_POOL_SIZE: String(CONNECTIONS),
    })
    const script = `\\set id random(1, ${stage.works})\n${DETAIL};\n`
    const load = { url: service.detail(1), headers: service.headers, ids: stage.works }
    const comparison = await compareWithStatement(stage, service, catalog, script, load)
    await service.stop()
    return [toResult('detail not in memory', comparison, 0.8)]
  },
}
