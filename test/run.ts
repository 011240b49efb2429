import { mkdtempSync, rmSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { importSource } from '../src/importers/import-source.ts'
import { READERS, SAMPLE_FOLDERS } from '../src/importers/sources.ts'
import { asAdmin } from '#test/databases.ts'
import { startPostgres } from '#test/postgres.ts'

/**
 * Runs the tests, all or the files that are named: starts a PostgreSQL server, makes the templates every test copies
 * its databases from, and puts everything away afterwards. In CI (`CI=true`) a skipped test is a failure.
 */
async function main(named: string[]): Promise<number> {
  const files =
    named.length > 0
      ? named.map((file) => resolve(file))
      : await Array.fromAsync(glob('{src,test,bin}/**/*.test.ts'))
  const postgres = await startPostgres()
  console.log(`PostgreSQL: ${postgres.origin}`)
  const template = mkdtempSync(join(tmpdir(), 'mokuroku-template-'))
  const templateDatabase = `mokuroku_template_${process.pid}`
  try {
    await makeTemplate({ databaseUrl: undefined, dataDir: template })
    await asAdmin(postgres.url, `create database "${templateDatabase}"`)
    const url = new URL(postgres.url)
    url.pathname = `/${templateDatabase}`
    await makeTemplate({ databaseUrl: url.href, dataDir: template })
    Object.assign(process.env, {
      MOKUROKU_TEST_POSTGRES: postgres.url,
      MOKUROKU_TEST_TEMPLATE: template,
      MOKUROKU_TEST_TEMPLATE_DATABASE: templateDatabase,
    })
    delete process.env['DATABASE_URL']
    return await runFiles(files.toSorted())
  } finally {
    await asAdmin(postgres.url, `drop database if exists "${templateDatabase}" with (force)`).catch(() => {})
    await postgres.stop()
    rmSync(template, { recursive: true, force: true })
  }
}

async function makeTemplate(where: { databaseUrl: string | undefined; dataDir: string }) {
  const { db, close } = await openDatabase({
    ...where,
    databasePoolSize: 1,
    databasePreparedStatements: true,
  })
  try {
    await migrate(db)
    for (const { source, folder } of SAMPLE_FOLDERS)
      await importSource(db, source, (report) => READERS[source](fileURLToPath(folder), report))
  } finally {
    await close()
  }
}

function runFiles(files: string[]): Promise<number> {
  const skipped: string[] = []
  let failed = false
  const tests = run({ files, concurrency: 2, timeout: 300_000 })
  tests.on('test:fail', () => (failed = true))
  tests.on('test:pass', ({ name, skip }) => {
    if (skip !== undefined && skip !== false) skipped.push(`${name}: ${String(skip)}`)
  })
  const output = tests.compose(spec)
  output.pipe(process.stdout)
  return new Promise((done, fail) => {
    output.once('error', fail)
    output.once('end', () => {
      const refuseSkips = process.env['CI'] === 'true' && skipped.length > 0
      if (refuseSkips) console.error(`In CI nothing may be skipped:\n${skipped.join('\n')}`)
      done(failed || refuseSkips ? 1 : 0)
    })
  })
}

process.exitCode = await main(process.argv.slice(2))
