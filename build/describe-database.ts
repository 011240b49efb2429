import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { collectStatements, describeStatements } from './describe-statements.ts'
import { describeTables } from './describe-tables.ts'

/** The file that `npm run describe` writes. */
const DESCRIBED = new URL('../src/db/described.ts', import.meta.url)

/** A constant, because the module that this file writes imports it, and this one does not. */
const BUILDER = 'kysely'

/**
 * Describes the migrated schema and the statements that read it.
 *
 * @param dataDir of an embedded database that this may migrate
 * @returns the text of `DESCRIBED`
 * @throws {AggregateError} when PostgreSQL refuses statements, with an error for each
 */
async function describeDatabase(dataDir: string): Promise<string> {
  const collected = await collectStatements()
  // Not before: these modules declare statements too.
  const { clusterOf } = await import('../src/db/cluster.ts')
  const { openDatabase } = await import('../src/db/database.ts')
  const { startEngine } = await import('../src/db/embedded-engine.ts')
  const { migrate } = await import('../src/db/migrate.ts')
  const { db, close } = await openDatabase({
    databaseUrl: undefined,
    dataDir,
    databasePoolSize: 1,
    databasePreparedStatements: true,
  })
  const describe = async () => {
    await migrate(db)
    return describeTables(db)
  }
  const tables = await describe().finally(close)
  const engine = await startEngine(clusterOf(dataDir))
  const statements = await describeStatements(engine, collected).finally(() => engine.close())
  return [
    '// What PostgreSQL says of the schema and of the statements that read it. Made by npm run describe.',
    `import type { ColumnType, Generated } from '${BUILDER}'\n`,
    typeText('DescribedTables', tables),
    '/** PostgreSQL does not say which parameters and columns may be null: any of them may. */',
    typeText('DescribedStatements', statements),
  ].join('\n')
}

const typeText = (name: string, lines: string[]) =>
  `export type ${name} = {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`

/** With `--check DATA_DIR`, an embedded database: exits with 1 and a sentence when the file is not as it should be. */
if (import.meta.main) {
  const { values } = parseArgs({ options: { check: { type: 'string' } } })
  if (values.check === undefined) await writeDescribed()
  else if ((await describeDatabase(values.check)) !== (await readFile(DESCRIBED, 'utf8'))) {
    console.error(
      'src/db/described.ts is not what PostgreSQL says. Run npm run describe and commit the file.',
    )
    process.exitCode = 1
  }
}

async function writeDescribed() {
  const dataDir = await mkdtemp(join(tmpdir(), 'mokuroku-describe-'))
  try {
    await writeFile(DESCRIBED, await describeDatabase(dataDir))
  } finally {
    await rm(dataDir, { recursive: true })
  }
}
