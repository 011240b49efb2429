/**
 * Imports `SECOND` into the given database, and kills itself (SIGKILL) at the nth progress report. Prints a line with
 * the catalog before the import and, if the import completes, one with the catalog after it. Arguments: DATABASE_URL
 * (empty: embedded), DATA_DIR, n (0: never).
 */
import { createHash } from 'node:crypto'
import { openDatabase, type Database } from '../../src/db/database.ts'
import { importRecords, readCatalog } from './catalog.ts'
import { SECOND_DUMP } from './weekly-dumps.ts'

const [databaseUrl = '', dataDir = '', moment = '0'] = process.argv.slice(2)
const { db, close } = await openDatabase({
  databaseUrl: databaseUrl === '' ? undefined : databaseUrl,
  dataDir,
  databasePoolSize: 2,
})
await print('before', db)
let reports = 0
await importRecords(db, 'vndb', SECOND_DUMP, {
  isWhole: () => true,
  onProgress() {
    reports += 1
    if (reports === Number(moment)) process.kill(process.pid, 'SIGKILL')
  },
})
await print('after', db)
await close()

async function print(when: string, database: Database) {
  const text = JSON.stringify(await readCatalog(database))
  process.stdout.write(`${when} ${createHash('sha256').update(text).digest('hex')}\n`)
}
