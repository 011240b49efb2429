import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { closeSharedResources } from './shared-cleanup.ts'
import { runnerVariable } from './databases.ts'
import { recordExecutedSql, saveExecutedSql } from './executed-sql.ts'
import { takeFile } from './file-queue.ts'
import { takePortsOf } from './free-port.ts'
import { numberVariable } from './number-variables.ts'
import { listOpenResources } from './service.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Process state that a test file could leave changed for the next one. */
function processState() {
  // libvips sets this variable when it is loaded.
  const { VIPSHOME: _, ...environment } = process.env
  return { environment, folder: process.cwd(), leftOpen: listOpenResources() }
}

function assertUnchanged(before: ReturnType<typeof processState>) {
  const { environment, folder, leftOpen: open } = processState()
  // Names only, because the values must not appear in a log.
  const settings = Object.keys({ ...before.environment, ...environment })
  const changed = settings.filter((name) => environment[name] !== before.environment[name])
  assert.deepEqual(
    { changed, folder, open },
    { changed: [], folder: before.folder, open: before.leftOpen },
  )
}

/**
 * Time limit, in milliseconds, of a file with all its suites. Each suite has the limit of the run. Long loops need more
 * than the default of a quarter of an hour.
 */
const FILE_LIMIT_MS = (numberVariable('TEST_FILE_MINUTES') ?? 15) * 60_000

/**
 * Runs test files one after another in this process until none is left. Starting a process and loading the service
 * takes longer than most files. Each file is a suite, so its hooks apply to it alone.
 *
 * @param worker number of this process in the run, from 1
 */
export async function runQueue(worker: number) {
  takePortsOf(worker)
  const queue = runnerVariable('MOKUROKU_TEST_QUEUE')
  const executed = recordExecutedSql()
  // Keeps the process running while a test waits for an unreferenced resource, but not after the runner was killed.
  const runner = process.ppid
  const keepAlive = setInterval(() => process.ppid === runner || process.exit(1), 1_000)
  for (let file = takeFile(queue); file !== undefined; file = takeFile(queue)) {
    const before = processState()
    const { href } = pathToFileURL(resolve(ROOT, file))
    await describe(file, { timeout: FILE_LIMIT_MS }, () => import(href))
    // The runner executes suites in order: when this test runs, the file is done.
    await it(`${file} leaves its process as it was`, () => assertUnchanged(before))
  }
  await closeSharedResources()
  saveExecutedSql(runnerVariable('MOKUROKU_TEST_EXECUTED'), executed)
  clearInterval(keepAlive)
}
