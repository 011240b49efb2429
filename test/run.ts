import { glob } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { relative, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { longestFirst, readDurations, recordDurations, tellSlowest, type Durations } from '#test/durations.ts'
import { startPostgres } from '#test/postgres.ts'
import { makeTemplates } from '#test/templates.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Compiled modules, for the hundreds of processes that load the same ones. */
const COMPILE_CACHE = resolve(ROOT, 'node_modules/.cache/mokuroku-tests')
/** Tests wait for databases and processes: more files than cores keep the cores busy. */
const FILES_AT_ONCE = availableParallelism() + 1
const FILE_LIMIT_MS = 300_000

/** Tests of several transactions at once, for which the embedded database has no second connection. */
const SKIPPED_ON_EMBEDDED: Record<string, string[]> = {
  'src/identity/tokens/withdrawal.test.ts': ['as a grant, is known to a process that starts later'],
  'src/ratings/lists/import.test.ts': [
    'lets what else the reader writes wait without a connection, so that nobody else does',
  ],
  'src/ratings/own/ratings.test.ts': [
    'is 503 with the advice to come back when its reader is held for long by another process',
  ],
}

/** Tests of a full disk, where the machine lets nobody mount a small one; the rule itself is tested everywhere. */
const SKIPPED_WITHOUT_MOUNT: Record<string, string[]> = {
  'src/db/free-space.test.ts': [
    'has the service answer 503 without standing still, and write again when there is room',
  ],
}

/**
 * Runs the tests, all or the files that are named: starts a PostgreSQL server, makes the templates every test copies
 * its databases from, and puts everything away afterwards. In CI (`CI=true`) a skipped test is a failure, unless it is
 * listed above. `--all-databases` runs everything on both databases, `--record` keeps how long each file takes.
 */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'all-databases': { type: 'boolean' }, record: { type: 'boolean' } },
  })
  const files =
    positionals.length > 0
      ? positionals.map((file) => relative(ROOT, resolve(file)))
      : await Array.fromAsync(glob('{src,test,bin}/**/*.test.ts', { cwd: ROOT }))
  const postgres = await startPostgres('memory')
  console.log(`PostgreSQL: ${postgres.origin}`)
  try {
    const { environment, remove } = await makeTemplates(postgres.url)
    Object.assign(process.env, {
      ...environment,
      ...(values['all-databases'] && { MOKUROKU_TEST_DATABASES: 'all' }),
      NODE_COMPILE_CACHE: COMPILE_CACHE,
    })
    delete process.env['DATABASE_URL']
    try {
      const { failed, durations } = await runFiles(longestFirst(files, readDurations()))
      console.log(`The slowest files:\n${tellSlowest(durations)}`)
      if (values.record) recordDurations(durations)
      return failed ? 1 : 0
    } finally {
      await remove()
    }
  } finally {
    await postgres.stop()
  }
}

function runFiles(files: string[]): Promise<{ failed: boolean; durations: Durations }> {
  const skipped: string[] = []
  const durations: Durations = {}
  let failed = false
  const tests = run({
    files: files.map((file) => resolve(ROOT, file)),
    concurrency: FILES_AT_ONCE,
    timeout: FILE_LIMIT_MS,
  })
  tests.on('test:fail', () => (failed = true))
  tests.on('test:pass', ({ name, skip, file = '' }) => {
    if (skip !== undefined && skip !== false && !isExpected(relative(ROOT, file), name, String(skip)))
      skipped.push(`${name}: ${String(skip)}`)
  })
  tests.on('test:summary', ({ file, duration_ms }) => {
    if (file !== undefined) durations[relative(ROOT, file)] = duration_ms / 1_000
  })
  const output = tests.compose(spec)
  output.pipe(process.stdout)
  return new Promise((done, fail) => {
    output.once('error', fail)
    output.once('end', () => {
      const refuseSkips = process.env['CI'] === 'true' && skipped.length > 0
      if (refuseSkips) console.error(`In CI nothing may be skipped:\n${skipped.join('\n')}`)
      done({ failed: failed || refuseSkips, durations })
    })
  })
}

const isExpected = (file: string, test: string, why: string) =>
  (why.startsWith('the embedded database') && SKIPPED_ON_EMBEDDED[file]?.includes(test) === true) ||
  (why.startsWith('no file system can be mounted') && SKIPPED_WITHOUT_MOUNT[file]?.includes(test) === true)

process.exitCode = await main()
