import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { startProgram } from './program.ts'
import { makeQueue, orderFiles, takeFile } from './file-queue.ts'
import { removeFolder, scratchFolder } from './scratch-folder.ts'

/** Takes files until none is left, once its input has ended, like a worker of a run. */
const WORKER_SCRIPT = `
  const { takeFile } = await import(process.argv[1])
  console.error('ready')
  await process.stdin.toArray()
  for (let file = takeFile(process.argv[2]); file !== undefined; file = takeFile(process.argv[2])) {
    console.log(file)
    // Lets the other processes take their turn, as a test would.
    await new Promise((done) => setTimeout(done, 1))
  }
`

describe('the queue of test files', () => {
  let folder: string
  beforeEach(() => {
    folder = scratchFolder('queue')
  })
  afterEach(() => removeFolder(folder))

  it('returns the files in order, and then nothing', () => {
    makeQueue(folder, ['b.test.ts', 'a.test.ts', 'c.test.ts'])
    assert.deepEqual(
      Array.from({ length: 4 }, () => takeFile(folder)),
      ['b.test.ts', 'a.test.ts', 'c.test.ts', undefined],
    )
  })

  it('gives each file to one process when many take files concurrently', async () => {
    const files = Array.from({ length: 400 }, (_, index) => `${index}.test.ts`)
    makeQueue(folder, files)
    const arguments_ = [
      '--input-type=module',
      '--eval',
      WORKER_SCRIPT,
      import.meta.resolve('./file-queue.ts'),
      folder,
    ]
    const takers = Array.from({ length: 4 }, () =>
      startProgram([process.execPath, ...arguments_], { input: null }),
    )
    await Promise.all(takers.map(({ waitForOutput }) => waitForOutput('ready')))
    for (const { child } of takers) child.stdin?.end()
    const taken = (await Promise.all(takers.map(({ ended }) => ended))).map(({ output }) =>
      output.split('\n').filter(Boolean),
    )
    assert.ok(taken.filter((some) => some.length > 0).length > 1, 'one process took them all')
    assert.deepEqual(taken.flat().toSorted(), files.toSorted())
  })

  it('puts files that share a service first, and then the longest', () => {
    const texts: Record<string, string> = {
      'short.test.ts': '',
      'long.test.ts': '',
      'new.test.ts': '',
      'sharing.test.ts': "import { shareService } from '#test/shared-service.ts'",
    }
    const durations = { 'short.test.ts': 1, 'long.test.ts': 60, 'sharing.test.ts': 2 }
    const ordered = orderFiles(Object.keys(texts), durations, (file) => texts[file] ?? '')
    assert.equal(ordered[0], 'sharing.test.ts')
    assert.ok(ordered.indexOf('long.test.ts') < ordered.indexOf('short.test.ts'), String(ordered))
  })
})
