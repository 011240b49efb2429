import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startNode } from '#test/node-process.ts'

describe('the watchdog', () => {
  it('kills a process whose event loop is blocked and logs the reason', async () => {
    const stuck = startNode('test/support/block-event-loop.ts')
    await stuck.waitForOutput(/still there/)
    assert.equal(await stuck.ended, null)
    assert.equal(stuck.child.signalCode, 'SIGKILL')
    assert.match(stuck.errors(), /"level":"fatal".*The event loop was blocked for 2 s/)
  })
})
