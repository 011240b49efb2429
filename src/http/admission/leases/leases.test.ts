import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RateLimitWindow } from '../../wire/errors/rate-limit.ts'
import { Leases } from './leases.ts'
import type { Grant, SharedCounter } from './shared-counter.ts'

/** A shared counter with a window of one minute that starts at 0 and responds asynchronously. */
function sharedWindow(clock: { time: number }) {
  const state = { used: 0, asked: 0, returned: 0, window: '0' }
  const counter: SharedCounter = {
    async take(_key, { needed, spare, limit }) {
      await Promise.resolve()
      const window = String(Math.floor(clock.time / 60_000))
      if (window !== state.window) Object.assign(state, { window, used: 0 })
      const free = Math.max(0, limit - state.used)
      const must = Math.min(free, needed)
      const granted = must + Math.min(spare, Math.floor((free - must) / 8))
      state.used += granted
      state.asked += 1
      return { granted, free: free - granted, remainingMs: 60_000 - (clock.time % 60_000), window }
    },
    async returnSlots(_key, slots, window) {
      state.returned += 1
      if (window === state.window) state.used -= slots
    },
  }
  return { state, leases: () => new Leases(counter, () => clock.time) }
}

/** Sends 200 requests within 20 ms, so that the process then holds spare slots. */
async function use(leases: Leases, clock: { time: number }) {
  for (let request = 0; request < 200; request += 1) {
    clock.time += 0.1
    await leases.count('key', 10_000)
  }
}

describe('leases', () => {
  it('count requests for a busy key almost entirely locally, and exactly up to the limit', async () => {
    const clock = { time: 0 }
    const { state, leases } = sharedWindow(clock)
    const alone = leases()
    const windows: RateLimitWindow[] = []
    let waited = 0
    for (let request = 1; request <= 10_100; request += 1) {
      const counted = alone.count('busy', 10_000)
      if (counted instanceof Promise && request < 8_000) waited += 1
      windows.push(await counted)
      assert.ok(state.used - request <= 200, 'it holds no more than a fiftieth of the limit')
      clock.time += 0.1
    }
    const through = windows.filter(({ exceeded }) => !exceeded)
    assert.equal(through.length, 10_000, 'a process alone has the whole limit')
    assert.deepEqual([state.asked, waited], [111, 4])
    for (const [index, { remaining }] of windows.entries())
      assert.equal(remaining, Math.max(0, 9_999 - index))
    for (const [index, { resetMs }] of windows.entries())
      assert.ok(resetMs <= 60_000 && (index === 0 || resetMs < (windows[index - 1]?.resetMs ?? 0)))
  })

  it('count requests individually if the key is rarely used or its limit is small', async () => {
    const clock = { time: 0 }
    const { state, leases } = sharedWindow(clock)
    const one = leases()
    for (let request = 1; request <= 20; request += 1) {
      await one.count('rare', 10_000)
      assert.equal(state.used, request)
      clock.time += 500
    }
    await one.returnIdleSlots(0)
    assert.equal(state.returned, 0)
    const other = sharedWindow(clock)
    const small = other.leases()
    for (let request = 1; request <= 60; request += 1) {
      await small.count('small', 60)
      assert.equal(other.state.used, request)
    }
  })

  it('stay within the limit when four processes hammer one key', async () => {
    const clock = { time: 0 }
    const { state, leases } = sharedWindow(clock)
    const hammer = async (process: Leases) => {
      let through = 0
      for (let requests = 0; requests < 3_000; requests += 1) {
        clock.time += 0.01
        const { exceeded } = await process.count('storm', 5_000)
        if (!exceeded) through += 1
      }
      return through
    }
    const processes = Array.from({ length: 4 }, leases)
    const counts = await Promise.all(
      processes.flatMap((process) => [hammer(process), hammer(process)]),
    )
    const sum = counts.reduce((all, some) => all + some, 0)
    assert.equal(sum, 5_000)
    assert.equal(state.used, 5_000)
  })

  it('use no slots of an expired window', async () => {
    const clock = { time: 0 }
    const { state, leases } = sharedWindow(clock)
    const process = leases()
    await use(process, clock)
    assert.ok(state.used > 200, 'it holds spare slots')
    clock.time = 60_000
    const { remaining, resetMs } = await process.count('key', 10_000)
    assert.deepEqual([state.used, remaining, resetMs], [1, 9_999, 60_000])
  })

  it('reserve no slots in advance for a key that is no longer busy', async () => {
    const clock = { time: 0 }
    const { state, leases } = sharedWindow(clock)
    const process = leases()
    await use(process, clock)
    const { used, asked: requested } = state
    for (let request = 200; request < used; request += 1) {
      clock.time += 200
      await process.count('key', 10_000)
    }
    assert.deepEqual([state.used, state.asked], [used, requested])
  })

  for (const [time, needed] of [
    [49, [1]],
    [50, [1, 2]],
  ] as const)
    it(`count requests toward the window in which they arrive: ${time} ms after a call, with 50 ms left in the window`, async () => {
      const clock = { time: 0 }
      const calls: number[] = []
      const grant: Grant = { granted: 10, free: 80, remainingMs: 50, window: 'first' }
      const process = new Leases(
        {
          async take(_key, { needed }) {
            calls.push(needed)
            await Promise.resolve()
            return calls.length === 1 ? grant : { ...grant, remainingMs: 60_000, window: 'second' }
          },
          async returnSlots() {},
        },
        () => clock.time,
      )
      const first = process.count('key', 100)
      clock.time = time
      await Promise.all([first, process.count('key', 100), process.count('key', 100)])
      assert.deepEqual(calls, needed)
    })

  it('return the slots that arrive after the limit has changed', async () => {
    const returned: unknown[] = []
    const process = new Leases({
      async take(_key, { limit }) {
        await Promise.resolve()
        return { granted: 10, free: 80, remainingMs: 60_000, window: limit }
      },
      async returnSlots(...slots) {
        returned.push(slots)
      },
    })
    await Promise.all([process.count('key', 100), process.count('key', 200)])
    assert.deepEqual(returned, [['key', 8, 100]])
  })

  it('return unused slots every second, and immediately when the leases are stopped', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const clock = { time: 0 }
    const { state, leases } = sharedWindow(clock)
    const process = leases()
    const stop = process.returnIdle()
    await use(process, clock)
    t.mock.timers.tick(1_000)
    assert.equal(state.returned, 0)
    clock.time += 1_000
    t.mock.timers.tick(1_000)
    assert.deepEqual([state.returned, state.used], [1, 200])
    await use(process, clock)
    await stop()
    assert.deepEqual([state.returned, state.used], [2, 400])
    await use(process, clock)
    clock.time += 1_000
    t.mock.timers.tick(1_000)
    assert.equal(state.returned, 2)
  })

  it('return idle slots to the other processes', async () => {
    const clock = { time: 5_000 }
    const { state, leases } = sharedWindow(clock)
    const [first, second] = [leases(), leases()]
    await use(first, clock)
    const { remaining: before } = await second.count('key', 10_000)
    assert.ok(before < 9_799, 'what the other one holds is not left')
    await first.returnIdleSlots(1_000)
    assert.ok(state.used > 201, 'it is not idle yet')
    clock.time += 1_000
    await first.returnIdleSlots(1_000)
    assert.equal(state.used, 201)
    const { remaining } = await second.count('key', 10_000)
    assert.equal(
      remaining,
      before,
      'within a window it never says that more is left than it has said',
    )
    assert.equal((await leases().count('key', 10_000)).remaining, 9_797)
  })

  it('respect a lowered limit and return the slots granted under the old one', async () => {
    const clock = { time: 0 }
    const { state, leases } = sharedWindow(clock)
    const process = leases()
    await use(process, clock)
    assert.ok(state.used > 200)
    const { exceeded, limit } = await process.count('key', 200)
    assert.deepEqual([exceeded, limit, state.used], [true, 200, 200])
    assert.equal((await process.count('key', 201)).exceeded, false)
  })

  it('reject requests, including waiting ones, while the counter fails, and use it again once it works', async () => {
    let isAway = true
    const process = new Leases({
      async take(_key, { needed }) {
        if (isAway) throw new Error('away')
        return { granted: needed, free: 5, remainingMs: 60_000, window: '0' }
      },
      async returnSlots() {},
    })
    const outcomes = await Promise.allSettled([process.count('key', 9), process.count('key', 9)])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    isAway = false
    assert.equal((await process.count('key', 9)).remaining, 5)
  })
})
