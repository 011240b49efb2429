import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { judgeReplica } from './judge.ts'

describe('a replica', () => {
  const primary = { system: '7', timeline: 2, position: 100_000_000 }
  const replica = { ...primary, position: 99_999_000 }

  it('gets reads while it is at most 16 MiB behind the primary', () => {
    const limit = primary.position - 16 * 2 ** 20
    assert.deepEqual(judgeReplica(primary, replica), { fault: undefined, lagBytes: 1_000 })
    assert.equal(judgeReplica(primary, { ...replica, position: limit }).fault, undefined)
    assert.equal(judgeReplica(primary, { ...replica, position: limit - 1 }).fault, 'behind')
  })

  it('has no lag if it has replayed more than the primary had written when it was queried', () => {
    const ahead = { ...replica, position: primary.position + 10 }
    assert.deepEqual(judgeReplica(primary, ahead), { fault: undefined, lagBytes: 0 })
  })

  it('gets no reads if it was promoted, replaced, or follows an earlier primary', () => {
    for (const [answer, fault] of [
      [{ position: null }, 'promoted'],
      [{ timeline: 1 }, 'timeline'],
      [{ timeline: null }, 'timeline'],
      [{ system: '8' }, 'foreign'],
      [{ system: '8', position: null }, 'foreign'],
    ] as const)
      assert.equal(judgeReplica(primary, { ...replica, ...answer }).fault, fault)
  })
})
