import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { collectStatements, describeStatements } from './describe-statements.ts'
import { describeSchema } from './describe-schema.ts'
import { describeTables } from './describe-tables.ts'

/** Output file for the types of tables and statements. */
const DESCRIBED = 'src/db/described.ts'
/** Output file for the schema as SQL. It is not in `migrations/`, because every file there runs and is shipped. */
const SCHEMA = 'docs/schema.sql'

/** A constant, because the module that this file writes imports it, and this one does not. */
const BUILDER = 'kysely'

/**
 * Adds a column to every table, as a newer version of the program may while this one runs. PostgreSQL refuses a prepared
 * statement whose result has changed.
 */
const ADD_COLUMNS = `
  discard temp;
  do $$
  declare
    name text;
  begin
    for name in select tablename from pg_tables where schemaname = 'public' loop
      execute format('alter table %I add column added text', name);
    end loop;
  end $$`

/**
 * Describes the migrated schema and the statements that read it. It uses the embedded database, so that the output does
 * not depend on the version of a server.
 *
 * @param dataDir data directory of an embedded database that this function may migrate
 * @returns the generated texts by file name
 * @throws {AggregateError} if PostgreSQL rejects statements, with one error for each
 * @throws {Error} if the result of a statement depends on columns that it does not name
 */
async function describeDatabase(dataDir: string): Promise<Map<string, string>> {
  const collected = await collectStatements()
  // Not before: these modules declare statements too.
  const { clusterOf } = await import('../src/db/embedded/cluster.ts')
  const { openDatabase } = await import('../src/db/database.ts')
  const { startEngine } = await import('../src/db/embedded/embedded-engine.ts')
  const { migrate } = await import('../src/db/upkeep/migrate.ts')
  const { db, close } = await openDatabase({
    databaseUrl: undefined,
    dataDir,
    databasePoolSize: 1,
    databasePreparedStatements: true,
  })
  const describe = async () => {
    await migrate(db)
    return { tables: await describeTables(db), schema: await describeSchema(db) }
  }
  const { tables, schema } = await describe().finally(close)
  const engine = await startEngine(clusterOf(dataDir))
  const describeBoth = async () => {
    const current = await describeStatements(engine, collected)
    await engine.exec(ADD_COLUMNS)
    return { statements: current, widened: await describeStatements(engine, collected) }
  }
  const { statements, widened } = await describeBoth().finally(() => engine.close())
  const changed = statements.filter((line, place) => line !== widened[place])
  if (changed.length > 0)
    throw new Error(
      `Name the columns instead of *, or a new column breaks these statements: ${changed.join()}`,
    )
  const described = [
    '// What PostgreSQL says of the schema and of the statements that read it. Made by npm run describe.',
    `import type { ColumnType, Generated } from '${BUILDER}'\n`,
    typeText('DescribedTables', tables),
    '/** PostgreSQL does not say which parameters and columns may be null: any of them may. */',
    typeText('DescribedStatements', statements),
  ].join('\n')
  return new Map([
    [DESCRIBED, described],
    [SCHEMA, schema],
  ])
}

const pathOf = (file: string) => new URL(`../${file}`, import.meta.url)

const typeText = (name: string, lines: string[]) =>
  `export type ${name} = {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`

/** With `--check DATA_DIR` (an embedded database), exits with 1 and prints a line for each file that is out of date. */
if (import.meta.main) {
  const { values } = parseArgs({ options: { check: { type: 'string' } } })
  const dataDir = values.check ?? (await mkdtemp(join(tmpdir(), 'mokuroku-describe-')))
  try {
    for (const [file, text] of await describeDatabase(dataDir))
      if (values.check === undefined) await writeFile(pathOf(file), text)
      else if ((await readFile(pathOf(file), 'utf8')) !== text) {
        console.error(
          `${file} is not what PostgreSQL says. Run npm run describe and commit the file.`,
        )
        process.exitCode = 1
      }
  } finally {
    if (values.check === undefined) await rm(dataDir, { recursive: true })
  }
}
