import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { collectStatements } from '../../build/describe-statements.ts'
import manifest from '../../package.json' with { type: 'json' }

/**
 * Makes the fixture of this version, a database with the sample and data of every kind, and stores its OpenAPI document.
 *
 * @throws {Error} if a table has no rows
 */
async function makeFixture(file: string) {
  // First, because a module publishes its statements when it is loaded.
  const statements = await collectStatements()
  const { addRareRows, fillDatabase, listEmptyTables } = await import('./fill-database.ts')
  const { dumpFixture, writeFixture } = await import('./fixture.ts')
  const { storeDocument } = await import('./released-document.ts')
  const { startService } = await import('#test/service.ts')
  const { openDatabase } = await import('../../src/db/database.ts')
  const { followSample, loadSample } = await import('../../src/sample.ts')
  const dataDir = mkdtempSync(join(tmpdir(), 'mokuroku-fixture-'))
  try {
    const database = { databaseUrl: undefined, dataDir, remove: async () => {} }
    const environment = { SECRET_KEY: 'a secret key of a fixture, 40 characters' }
    const service = await startService({ database, environment })
    const { ids, ...access } = await (async () => {
      await loadSample(service.db)
      await followSample(service.db)
      return fillDatabase(service)
    })().finally(service.close)
    const { db, close } = await openDatabase(service.config)
    try {
      await addRareRows(db, ids)
      const empty = await listEmptyTables(db)
      if (empty.length > 0)
        throw new Error(
          `No rows in ${empty.join(', ')}. Add some in test/releases/fill-database.ts.`,
        )
      const known = { version: manifest.version, access, statements }
      await writeFixture(file, await dumpFixture(db, known))
      await storeDocument(dirname(file), manifest.version)
    } finally {
      await close()
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

await makeFixture(process.argv[2] ?? join(import.meta.dirname, `${manifest.version}.tar.zst`))
