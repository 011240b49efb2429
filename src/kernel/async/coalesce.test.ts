import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { coalesce } from './coalesce.ts'

describe('coalesce', () => {
  it('runs the first call at once, and then runs once for all further calls within the interval', async () => {
    const runs: number[] = []
    let clock = 1_000
    const send = coalesce(
      20,
      async () => void runs.push(clock),
      () => clock,
    )
    void send()
    await setImmediate()
    assert.deepEqual(runs, [1_000])
    clock = 1_019
    const waiting = Promise.all(Array.from({ length: 100 }, send))
    await setImmediate()
    assert.deepEqual(runs, [1_000], 'too soon')
    await waiting
    assert.deepEqual(runs, [1_000, 1_019])
    clock = 1_039
    void send()
    await setImmediate()
    assert.deepEqual(runs, [1_000, 1_019, 1_039])
  })

  it('measures the interval with the monotonic clock', async () => {
    const runs: number[] = []
    const send = coalesce(30, async () => void runs.push(performance.now()))
    await send()
    await send()
    const [first = 0, second = 0] = runs
    // Timers may fire a millisecond early.
    assert.ok(second - first >= 28, `${second - first} ms`)
  })

  it('runs once more for all calls that arrive during a run', async () => {
    const runs: ((result: number) => void)[] = []
    const ask = coalesce(0, () => new Promise<number>((resolve) => runs.push(resolve)))
    const first = ask()
    await setImmediate()
    const others = [ask(), ask()]
    await setImmediate()
    assert.equal(runs.length, 1)
    runs[0]?.(1)
    assert.equal(await first, 1)
    await setImmediate()
    assert.equal(runs.length, 2)
    runs[1]?.(2)
    assert.deepEqual(await Promise.all(others), [2, 2])
  })

  it('rejects the waiting calls if a run fails, and runs again for the next call', async () => {
    let runs = 0
    const send = coalesce(0, async () => {
      runs += 1
      if (runs === 1) throw new Error('once')
    })
    await assert.rejects(Promise.all([send(), send()]), /once/)
    await send()
    assert.equal(runs, 2)
  })
})
