import { createReadStream } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { RowCopier } from '../src/db/row-copier.ts'
import type { Database } from '../src/db/database.ts'
import { migrate } from '../src/db/upkeep/migrate.ts'
import { importSource } from '../src/curation/import-source.ts'
import { openSource } from '../src/curation/sources.ts'
import { onCatalog } from './support/catalog.ts'
import type { Claim } from './support/claim.ts'
import { writeVndbDump } from './support/dumps/vndb.ts'
import { toResult } from './support/report.ts'
import { compare, type Speed } from './support/rounds.ts'
import type { Stage } from './support/stage.ts'

const WORKS = 10_000
const SMALL_WORKS = 1_000

/** Measures a first import of a generated dump against COPY of the same rows into text tables without indexes. */
export const importClaim: Claim = {
  name: 'import',
  async measure(stage) {
    const works = stage.quick ? SMALL_WORKS : WORKS
    const folder = join(stage.folder, 'import-dump')
    const tables = await writeVndbDump(folder, { works })
    const rows = Object.values(tables).reduce((sum, count) => sum + count, 0)
    let databases = 0
    const time = async (work: (db: Database) => Promise<unknown>): Promise<Speed> => {
      const where = await stage.emptyOnServer(`import_${(databases += 1)}`)
      return onCatalog(where, async (db) => {
        await migrate(db)
        return measureOnce(stage, rows, () => work(db))
      })
    }
    const comparison = await compare(
      stage,
      () => time((db) => copyTables(db, join(folder, 'db'))),
      () => time((db) => importVndb(db, folder)),
    )
    await rm(folder, { recursive: true })
    const row = `rows of a dump imported, ${works.toLocaleString('en')} works`
    return [toResult(row, comparison, 0.2)]
  },
}

async function measureOnce(
  stage: Stage,
  rows: number,
  work: () => Promise<unknown>,
): Promise<Speed> {
  const [cpu, database, start] = [process.cpuUsage(), await stage.databaseTime(), performance.now()]
  await work()
  const seconds = (performance.now() - start) / 1_000
  const own = process.cpuUsage(cpu)
  const after = await stage.databaseTime()
  return {
    perSecond: rows / seconds,
    cpu: (own.user + own.system) / rows,
    database: database === undefined || after === undefined ? undefined : (after - database) / rows,
  }
}

/** Imports a folder with a VNDB dump. */
export async function importVndb(db: Database, folder: string) {
  const { records, close } = await openSource('vndb', folder)
  await importSource(db, 'vndb', records).finally(close)
}

function copyTables(db: Database, folder: string) {
  return db.transaction().execute(async (trx) => {
    const files = await readdir(folder)
    for (const table of files.filter((file) => files.includes(`${file}.header`))) {
      const columns = (await readFile(join(folder, `${table}.header`), 'utf8')).trim().split('\t')
      const name = `copied_${table}`
      await sql`
        create table ${sql.table(name)} (${sql.join(columns.map((column) => sql`${sql.ref(column)} text`))})`.execute(
        trx,
      )
      await copyFile(new RowCopier(trx, name, columns), join(folder, table))
    }
  })
}

async function copyFile(copier: RowCopier, file: string) {
  let rest = ''
  for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    const text = `${rest}${chunk}`
    const end = text.lastIndexOf('\n')
    rest = text.slice(end + 1)
    if (end > 0) copier.add(text.slice(0, end))
    await copier.settle()
  }
  await copier.end()
}
