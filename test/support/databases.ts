import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'node:test'
import pg from 'pg'

/** Where a test's server keeps its data; `close` throws it all away. */
export type TestDatabase = { databaseUrl: string | undefined; dataDir: string; remove(): Promise<void> }

/** What a fresh database holds: nothing, the schema with the bundled sample, or no migration at all. */
export type Content = 'empty' | 'sample'

const ENGINES = ['embedded', 'server'] as const
export type Engine = (typeof ENGINES)[number]

/** Runs the same tests on the embedded database and on a PostgreSQL server. */
export function onEachDatabase(name: string, body: (engine: Engine) => void) {
  for (const engine of ENGINES) describe(`${name}, ${engine} database`, () => body(engine))
}

/** A database of the test's own, copied from the template `test/run.ts` has made. */
export async function createDatabase(engine: Engine, content: Content = 'empty'): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'mokuroku-test-'))
  const removeFolder = () => rmSync(dataDir, { recursive: true, force: true })
  if (engine === 'embedded') {
    if (content === 'sample') cpSync(fromRunner('MOKUROKU_TEST_TEMPLATE'), dataDir, { recursive: true })
    return { databaseUrl: undefined, dataDir, remove: async () => removeFolder() }
  }
  const admin = fromRunner('MOKUROKU_TEST_POSTGRES')
  const name = `mokuroku_test_${randomBytes(6).toString('hex')}`
  const template = content === 'sample' ? ` template "${fromRunner('MOKUROKU_TEST_TEMPLATE_DATABASE')}"` : ''
  await asAdmin(admin, `create database "${name}"${template}`)
  const databaseUrl = new URL(admin)
  databaseUrl.pathname = `/${name}`
  return {
    databaseUrl: databaseUrl.href,
    dataDir,
    async remove() {
      removeFolder()
      await asAdmin(admin, `drop database if exists "${name}" with (force)`)
    },
  }
}

export async function asAdmin(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

function fromRunner(name: string): string {
  const value = process.env[name]
  if (!value)
    throw new Error(
      'Run the tests with `npm test`, or `npm test -- FILE` for one file: it starts what they need.',
    )
  return value
}
