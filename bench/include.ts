import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { migrate } from '../src/db/upkeep/migrate.ts'
import { ENTRIES } from '../src/catalog/entries/entries.ts'
import { importVndb } from './import.ts'
import { makeApp, onCatalog } from './support/catalog.ts'
import type { Claim } from './support/claim.ts'
import { writeVndbDump } from './support/dumps/vndb.ts'
import { compareWithStatement, CONNECTIONS, pgbenchStatement } from './support/pgbench.ts'
import { toResult } from './support/report.ts'

const WORKS = 1_000
const PARTS = 'staff,characters,producers,relations'

/** The service's SQL for one ID and these parts. */
const WITH_PARTS = pgbenchStatement(ENTRIES.galgame.withParts?.statement.text ?? '', {
  1: 'array[:id]::bigint[]',
  2: `string_to_array('${PARTS}', ',')`,
  3: '10',
  4: 'true',
})

/** Measures uncached details with four lists, of random galgames, against pgbench with the same statement. */
export const include: Claim = {
  name: 'include',
  async measure(stage) {
    const folder = join(stage.folder, 'include-dump')
    await writeVndbDump(folder, { works: WORKS })
    const where = await stage.emptyOnServer('include')
    // The first import numbers the works from 1.
    const app = await onCatalog(where, async (db) => {
      await migrate(db, stage.migrations)
      await importVndb(db, folder)
      return makeApp(db, { scopes: ['catalog:full'] })
    })
    await rm(folder, { recursive: true })
    const service = await stage.serve(
      { ...where, works: WORKS, app },
      { CATALOG_CACHE_MIB: '0', DATABASE_POOL_SIZE: String(CONNECTIONS) },
    )
    const script = `\\set id random(1, ${WORKS})\n${WITH_PARTS};\n`
    const url = `${service.detail(1)}?include=${PARTS}`
    const load = { url, headers: service.headers, ids: WORKS }
    const comparison = await compareWithStatement(stage, service, where, script, load)
    await service.stop()
    return [toResult('detail with four lists, not in memory', comparison, 1 / 1.3)]
  },
}
