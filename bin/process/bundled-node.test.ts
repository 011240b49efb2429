import assert from 'node:assert/strict'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createDatabase } from '#test/databases.ts'
import { freePort } from '#test/free-port.ts'
import { CHECKOUT, startProgram } from '#test/program.ts'
import { findBundledNode } from './bundled-node.ts'

/** Starts the program like an old Node, which cannot replace its process. */
const SCRIPT = `
  const [, program, ...args] = process.argv
  process.execve = undefined
  const { findBundledNode, runWith } = await import(${JSON.stringify(join(CHECKOUT, 'bin/process/bundled-node.ts'))})
  process.argv = [process.execPath, program, ...args]
  runWith(findBundledNode())
`
const start = (args: string[], environment: NodeJS.ProcessEnv) =>
  startProgram(
    [
      process.execPath,
      '--input-type=module',
      '-e',
      SCRIPT,
      join(CHECKOUT, 'dist/mokuroku.js'),
      ...args,
    ],
    { environment },
  )

describe('the Node that is installed with the package', () => {
  it('is found', () => {
    assert.equal(realpathSync(findBundledNode() ?? ''), realpathSync(process.execPath))
  })

  it('runs the program with its exit status', async () => {
    assert.equal((await start(['healthcheck'], { PORT: '0' }).ended).status, 2)
  })

  it('runs a service that stops on a signal', async (test) => {
    const database = await createDatabase('server', 'empty')
    test.after(() => database.remove())
    const program = start(['serve', '--no-demo'], {
      PORT: String(await freePort()),
      DATABASE_URL: database.databaseUrl,
      DATABASE_POOL_SIZE: '3',
      DATA_DIR: database.dataDir,
    })
    test.after(() => program.end())
    await program.waitForOutput('mokuroku listens')
    program.child.kill('SIGTERM')
    const { status, errors } = await program.ended
    assert.equal(status, 0, errors)
    assert.match(errors, /"msg":"Stopped"/)
  })
})
