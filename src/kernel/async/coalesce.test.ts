import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { coalesce } from './coalesce.ts'

describe('coalesce', () => {
  it('runs at once, then once for all calls within the interval, after the last of them', async () => {
    const runs: number[] = []
    let clock = 0
    const ask = coalesce(
      20,
      async () => {
        runs.push(clock)
        await Promise.resolve()
      },
      () => clock,
    )
    await ask()
    assert.deepEqual(runs, [0])
    clock = 5
    const waiting = Promise.all(Array.from({ length: 100 }, ask))
    assert.deepEqual(runs, [0], 'too soon')
    clock = 20
    await waiting
    assert.deepEqual(runs, [0, 20])
    clock = 100
    await ask()
    assert.deepEqual(runs, [0, 20, 100])
  })

  it('rejects the waiting calls if a run fails, and runs again for the next call', async () => {
    let runs = 0
    const ask = coalesce(0, async () => {
      runs += 1
      if (runs === 1) throw new Error('once')
    })
    await assert.rejects(Promise.all([ask(), ask()]), /once/)
    await ask()
    assert.equal(runs, 2)
  })
})
