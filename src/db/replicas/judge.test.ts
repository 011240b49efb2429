import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { judgeReplica } from './judge.ts'
import { singleFlight } from './positions.ts'

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

describe('singleFlight', () => {
  it('runs again for callers that arrive during a run', async () => {
    const asked: ((answer: number) => void)[] = []
    const ask = singleFlight(() => new Promise<number>((resolve) => asked.push(resolve)))
    const answers = [ask(), ask(), ask()]
    assert.equal(asked.length, 1)
    asked[0]?.(1)
    assert.equal(await answers[0], 1)
    // The two waiting callers share the second run.
    await Promise.resolve()
    assert.equal(asked.length, 2)
    asked[1]?.(2)
    assert.deepEqual(await Promise.all(answers), [1, 2, 2])
  })

  it('runs again after a failure', async () => {
    let count = 0
    const ask = singleFlight(async () => {
      count += 1
      if (count === 1) throw new Error('away')
      return count
    })
    const [first, second] = [ask(), ask()]
    await assert.rejects(first, /away/)
    assert.equal(await second, 2)
  })
})
