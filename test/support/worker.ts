import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { closeShared } from './at-end.ts'
import { fromRunner } from './databases.ts'
import { recordExecutedSql, saveExecutedSql } from './executed-sql.ts'
import { takeFile } from './queue.ts'
import { leftOpen } from './service.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What one test file could spoil for the next one in its process. */
function surroundings() {
  // libvips names its folder there as it is loaded.
  const { VIPSHOME: _, ...environment } = process.env
  return { environment, folder: process.cwd(), leftOpen: leftOpen() }
}

function assertUnchanged(before: ReturnType<typeof surroundings>) {
  const { environment, folder, leftOpen: open } = surroundings()
  // By their names alone: what they hold is not for a log.
  const settings = Object.keys({ ...before.environment, ...environment })
  const changed = settings.filter((name) => environment[name] !== before.environment[name])
  assert.deepEqual(
    { changed, folder, open },
    { changed: [], folder: before.folder, open: before.leftOpen },
  )
}

/** Of a file with all its suites, each of which has the limit of the run. */
const FILE_LIMIT_MS = 900_000

/**
 * Runs test files one after another in this process until none is left: to start a process, load the service and warm it
 * up costs more than most files do. What a file does before and after all its tests is a file's alone, as it is a suite.
 */
export async function runQueue() {
  const queue = fromRunner('MOKUROKU_TEST_QUEUE')
  const executed = recordExecutedSql()
  // A test that waits for what keeps no process alive would end it, and the files that are left with it.
  const keepAlive = setInterval(() => {}, 2 ** 30)
  for (let file = takeFile(queue); file !== undefined; file = takeFile(queue)) {
    const before = surroundings()
    const { href } = pathToFileURL(resolve(ROOT, file))
    await describe(file, { timeout: FILE_LIMIT_MS }, () => import(href))
    // The runner goes through what a process registers in order: once this has run, so has the file.
    await it(`${file} leaves its process as it was`, () => assertUnchanged(before))
  }
  await closeShared()
  saveExecutedSql(fromRunner('MOKUROKU_TEST_EXECUTED'), executed)
  clearInterval(keepAlive)
}
