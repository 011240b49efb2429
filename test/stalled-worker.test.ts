import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { freePort } from '#test/free-port.ts'
import { childProcesses } from '#test/child-processes.ts'
import { startMokuroku, type Program } from '#test/program.ts'

const WARNING = 'A worker does not respond: other workers get its new connections'
const RESUMED = 'A worker responds again'

describe('a stalled worker', () => {
  let database: TestDatabase
  let program: Program
  let port: number

  before(async () => {
    database = await createDatabase('server', 'empty')
    port = await freePort()
    program = startMokuroku(['serve', '--no-demo'], {
      environment: {
        HOST: '127.0.0.1',
        PORT: String(port),
        DATABASE_URL: database.databaseUrl,
        DATA_DIR: database.dataDir,
        DATABASE_POOL_SIZE: '2',
        WORKERS: '2',
      },
    })
    await program.waitForOutput('mokuroku listens')
  })
  after(async () => {
    await program.end()
    await database.remove()
  })

  /** Sends a request on its own connection. */
  async function send(): Promise<number | undefined> {
    const request = get({ host: '127.0.0.1', port, path: '/health/live', agent: false })
    const [response] = await once(request, 'response')
    await text(response)
    return response.statusCode
  }

  /** Stops a worker. Returns the process IDs of both. */
  function stall() {
    const [stalled, other] = childProcesses(program.child.pid)
    assert.ok(stalled !== undefined && other !== undefined)
    process.kill(stalled, 'SIGSTOP')
    return { stalled, other }
  }

  /** Sends requests one after the other, so that they alternate between workers that get connections. */
  async function sendInTurn() {
    for (let request = 1; request <= 6; request += 1) {
      const sentAt = performance.now()
      assert.equal(await send(), 200)
      const took = Math.round(performance.now() - sentAt)
      assert.ok(took < 2_000, `request ${request} took ${took} ms`)
    }
  }

  it('gets no connections until it resumes, even if it had none when it stalled', async () => {
    const { stalled, other } = stall()
    await program.waitForOutput(WARNING)
    await sendInTurn()
    process.kill(stalled, 'SIGCONT')
    await program.waitForOutput(RESUMED)
    process.kill(other, 'SIGSTOP')
    assert.deepEqual(await Promise.all([send(), send()]), [200, 200])
    process.kill(other, 'SIGCONT')
    assert.ok(childProcesses(program.child.pid).includes(other), 'the resumed worker responded')
  })

  it('is replaced, and another worker gets the connections that it has not received', async () => {
    const { stalled, other } = stall()
    // The workers take turns, so the stalled one gets one of these connections.
    assert.deepEqual(await Promise.all(Array.from({ length: 6 }, send)), Array(6).fill(200))
    await program.waitForOutput('A worker has not responded for ten seconds: killing it')
    await program.waitForOutput('A worker has replaced one that exited')
    const now = childProcesses(program.child.pid)
    assert.equal(now.length, 2)
    assert.ok(now.includes(other) && !now.includes(stalled))
    assert.equal(await send(), 200)
  })
})
