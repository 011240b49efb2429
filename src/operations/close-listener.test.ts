import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { eventually } from '#test/browser.ts'
import { listenLocally } from '#test/free-port.ts'
import { closeListener, MAX_CLOSING_MS } from './close-listener.ts'

/** Listeners that are closed under load. */
const ROUNDS = Number(process.env['CLOSE_ROUNDS'] ?? 3)
const STORM = fileURLToPath(import.meta.resolve('#test/connection-storm.ts'))

const describeAddress = { skip: process.platform !== 'linux' && 'only Linux shows the queue' }

describe('closing a listener', describeAddress, () => {
  it('loses no connection that arrives at the same time', async () => {
    const outcomes: { answered: number; lost: number }[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      let accepted = 0
      const server = createServer((socket) => {
        accepted += 1
        socket.on('error', () => {})
        socket.on('data', () => socket.end('!'))
      })
      const port = await listenLocally(server)
      const storm = promisify(execFile)(process.execPath, [STORM, String(port)])
      await eventually(async () => accepted > 100, 'a few connections')
      const began = performance.now()
      await closeListener(server)
      const isLate = performance.now() - began >= MAX_CLOSING_MS
      assert.equal(server.listening, false)
      const outcome: { answered: number; lost: number } = JSON.parse((await storm).stdout)
      // On a machine without processor time, the listener is closed in spite of what waits.
      if (!isLate) outcomes.push(outcome)
    }
    assert.deepEqual(
      outcomes.map(({ lost }) => lost),
      outcomes.map(() => 0),
    )
  })

  for (const host of ['127.0.0.1', '0.0.0.0', '::'])
    it(`closes one on ${host}`, async () => {
      const server = createServer()
      await listenLocally(server, host)
      await closeListener(server)
      assert.equal(server.listening, false)
    })
})
