import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startFakePostgres } from '#test/fake-postgres.ts'
import { hearsNotifications } from './listen-probe.ts'

describe('a test of notifications', () => {
  it('returns false if the server takes longer than the probe waits', async () => {
    const server = await startFakePostgres(async () => {
      // Each statement meets the timeout, but all of them together do not.
      await sleep(500)
      return { done: true }
    })
    try {
      assert.equal(await hearsNotifications(`postgres://nobody@${server.host}/none`), false)
    } finally {
      server.close()
    }
  })
})
