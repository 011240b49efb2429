import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startNode } from '#test/processes.ts'

describe('the watchdog', () => {
  it('ends a process whose event loop stands still, and says why', async () => {
    const standing = startNode('test/support/standstill.ts')
    await standing.prints(/still there/)
    assert.equal(await standing.ended, null)
    assert.equal(standing.child.signalCode, 'SIGKILL')
    assert.match(standing.errors(), /"level":"fatal".*Standing still for 2 s/)
  })
})
