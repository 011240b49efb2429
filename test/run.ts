import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { relative, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { SKIPPED_WITHOUT_NEWER_DEBIAN, SKIPPED_WITHOUT_ROOT } from '#test/allowed-skips.ts'
import { ONE_CONNECTION } from '#test/databases.ts'
import { readDurations, recordDurations, formatSlowest, type Durations } from '#test/durations.ts'
import { findUnexecutedSql, recordExecutedSql, saveExecutedSql } from '#test/executed-sql.ts'
import { makeQueue, orderFiles } from '#test/file-queue.ts'
import { refuseBadNumbers } from '#test/number-variables.ts'
import { removeFolder, scratchFolder } from '#test/scratch-folder.ts'
import { withDatabases } from '#test/with-databases.ts'
import { ensureBuilt } from '../build/build.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CACHE = resolve(ROOT, 'node_modules/.cache/mokuroku-tests')
/** Compiled modules, shared by the many processes that load them. */
const COMPILE_CACHE = resolve(CACHE, 'compiled')
/**
 * Number of test processes. Tests often wait for databases and processes, so more processes than cores keep the cores
 * busy.
 */
const WORKERS = availableParallelism() + 2
/**
 * Node options for test processes, which load the whole service and then exit. They delay collection of the old space
 * until it holds a gibibyte, and enlarge the young space. This saves a tenth of a run's processor time.
 */
const GC_OPTIONS = ['--initial-old-space-size=1024', '--min-semi-space-size=16']
/** Time limit, in milliseconds, of a suite with all its tests. Processes have none. */
const SUITE_LIMIT_MS = 300_000

/** Maximum number of failed files to run again. More failures have a common cause. */
const MAX_REPEATED_FILES = 10

/** Tests of the source code alone. They take seconds, and report failures before the slow tests start. */
const STATIC = [
  'test/architecture.test.ts',
  'test/cookies.test.ts',
  'test/glossaries.test.ts',
  'test/mutations/bounds.test.ts',
  'test/package-scripts.test.ts',
  'test/releases/releases.test.ts',
  'test/spelling.test.ts',
  'test/support/allowed-skips.test.ts',
  'test/voice.test.ts',
]

/**
 * Runs all tests, or those of the named files and folders: starts a PostgreSQL server, creates the template databases,
 * and cleans up afterwards. Several processes take one file after another. If only a few files fail, they run again,
 * one at a time: a test with a deadline can miss it because other tests used the processor. In CI (`CI=true`) a skipped
 * test is a failure unless a test of the same name passes on the server database, or `allowed-skips.ts` lists it. `--static` runs only the tests of the source code,
 * `--all-databases` everything on both databases, `--record` records how long each file takes.
 */
async function main(): Promise<number> {
  refuseBadNumbers()
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      static: { type: 'boolean' },
      'all-databases': { type: 'boolean' },
      record: { type: 'boolean' },
    },
  })
  if (values.static) return (await runFiles(STATIC)).failed ? 1 : 0
  const files =
    positionals.length > 0 ? (await Promise.all(positionals.map(filesIn))).flat() : await allFiles()
  const missing = files.filter((file) => !existsSync(resolve(ROOT, file)))
  if (missing.length > 0) {
    console.error(`No such test file: ${missing.join(', ')}`)
    return 2
  }
  // The templates contain the sample, so creating them runs whole imports.
  const executed = recordExecutedSql()
  // Tests start the built program, like users.
  await ensureBuilt()
  return withDatabases(async () => {
    Object.assign(process.env, {
      ...(values['all-databases'] && { MOKUROKU_TEST_DATABASES: 'all' }),
      NODE_COMPILE_CACHE: COMPILE_CACHE,
    })
    const queue = scratchFolder('queue')
    const executedFolder = scratchFolder('executed')
    process.env['MOKUROKU_TEST_EXECUTED'] = executedFolder
    saveExecutedSql(executedFolder, executed)
    try {
      const first = await runFiles([
        ...files.filter((file) => STATIC.includes(file)),
        ...makeWorkers(
          queue,
          files.filter((file) => !STATIC.includes(file)),
        ),
      ])
      const { durations } = first
      const failed = first.failed && !(await passWhenRepeated(queue, first.failedFiles))
      console.log(`The slowest files:\n${formatSlowest(durations)}`)
      const unmeasured = files.filter((file) => !(file in durations))
      if (unmeasured.length > 0)
        console.error(`Files that were never run to their end:\n${unmeasured.join('\n')}`)
      if (values.record) recordDurations(durations)
      // A partial run executes only part of the SQL.
      const unexecuted = positionals.length > 0 ? [] : await findUnexecutedSql(executedFolder)
      if (unexecuted.length > 0)
        console.error(`SQL that no test executes:\n${unexecuted.join('\n')}`)
      return failed || unmeasured.length > 0 || unexecuted.length > 0 ? 1 : 0
    } finally {
      removeFolder(queue)
      removeFolder(executedFolder)
    }
  })
}

/** Returns the test files in a folder, or the named file. */
async function filesIn(path: string): Promise<string[]> {
  const name = relative(ROOT, resolve(path))
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [name]
  return Array.fromAsync(glob(`${name}/**/*.test.ts`, { cwd: ROOT }))
}

const allFiles = () => Array.fromAsync(glob('{src,test,bin}/**/*.test.ts', { cwd: ROOT }))

/**
 * Writes the queue of these files into an empty folder.
 *
 * @returns the modules to run, each of which takes files from the queue. There is one per process, because the runner
 * runs a module only once
 */
function makeWorkers(queue: string, files: string[]): string[] {
  const read = (file: string) => readFileSync(resolve(ROOT, file), 'utf8')
  makeQueue(queue, orderFiles(files, readDurations(), read))
  process.env['MOKUROKU_TEST_QUEUE'] = queue
  mkdirSync(CACHE, { recursive: true })
  const support = import.meta.resolve('#test/run-queue.ts')
  return Array.from({ length: Math.min(WORKERS, files.length) }, (_, index) => {
    const path = resolve(CACHE, `worker-${index + 1}.mjs`)
    writeFileSync(path, `import { runQueue } from '${support}'\nawait runQueue(${index + 1})\n`)
    return path
  })
}

/**
 * Runs failed files again, with nothing else running. Returns whether they pass. Repeats nothing if a static test
 * failed, because other tests cannot be the cause.
 */
async function passWhenRepeated(queue: string, failed: ReadonlySet<string>): Promise<boolean> {
  const files = [...failed]
  if (
    files.length === 0 ||
    files.length > MAX_REPEATED_FILES ||
    files.some((file) => STATIC.includes(file) || !existsSync(resolve(ROOT, file)))
  )
    return false
  console.log(`\nThese files failed and are run again, one at a time:\n${files.join('\n')}\n`)
  for (const file of files) {
    removeFolder(queue)
    mkdirSync(queue)
    if ((await runFiles(makeWorkers(queue, [file]))).failed) return false
  }
  console.warn(`These files passed only when nothing else ran:\n${files.join('\n')}`)
  return true
}

type TestEvent = { nesting: number; name: string; file?: string; details: { duration_ms: number } }

/**
 * Reports the results of a run.
 *
 * @param files from the root of the project
 */
function runFiles(
  files: string[],
): Promise<{ failed: boolean; failedFiles: ReadonlySet<string>; durations: Durations }> {
  const skipped: { file: string; name: string; why: string }[] = []
  const passed = new Set<string>()
  const durations: Durations = {}
  const failedFiles = new Set<string>()
  let failed = false
  const tests = run({
    files: files.map((file) => resolve(ROOT, file)),
    execArgv: GC_OPTIONS,
    concurrency: WORKERS,
    timeout: SUITE_LIMIT_MS,
  })
  tests.on('test:fail', ({ nesting, name, file = '' }) => {
    failed = true
    // For a test that a worker ran, the name of its suite contains the file.
    const path = relative(ROOT, file)
    if (nesting === 0)
      failedFiles.add(path.endsWith('.test.ts') ? path : (name.split(' ', 1)[0] ?? ''))
  })
  const addDuration = ({ nesting, name, file = '', details }: TestEvent) => {
    if (nesting > 0) return
    const path = relative(ROOT, file)
    // A worker has a suite for each file; its other events belong to no file.
    const owner = path.endsWith('.test.ts') ? path : name
    if (owner.endsWith('.ts'))
      durations[owner] = (durations[owner] ?? 0) + details.duration_ms / 1_000
  }
  tests.on('test:fail', addDuration)
  tests.on('test:pass', addDuration)
  tests.on('test:pass', ({ name, skip, file = '' }) => {
    const path = relative(ROOT, file)
    if (skip === undefined || skip === false) passed.add(`${path}: ${name}`)
    else skipped.push({ file: path, name, why: String(skip) })
  })
  const output = tests.compose(spec)
  output.pipe(process.stdout)
  return new Promise((done, fail) => {
    output.once('error', fail)
    output.once('end', () => {
      const refused = skipped.filter(
        ({ file, name, why }) =>
          !(why === ONE_CONNECTION && passed.has(`${file}: ${name}`)) &&
          !isAllowed(file, name, why),
      )
      const refuseSkips = process.env['CI'] === 'true' && refused.length > 0
      if (refuseSkips)
        console.error(
          `In CI nothing may be skipped:\n${refused.map(({ file, name, why }) => `${file}: ${name}: ${why}`).join('\n')}`,
        )
      done({ failed: failed || refuseSkips, failedFiles, durations })
    })
  })
}

const isAllowed = (file: string, test: string, why: string) =>
  (/^no (file system can be mounted|network can be created) here/.test(why) &&
    SKIPPED_WITHOUT_ROOT[file]?.includes(test) === true) ||
  (why.startsWith('no /opt/pgbouncer') &&
    SKIPPED_WITHOUT_NEWER_DEBIAN[file]?.includes(test) === true)

process.exitCode = await main()
