import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Leases } from './leases.ts'
import { respondTo, remoteCounter } from './remote-counter.ts'
import { Windows } from './shared-counter.ts'

/**
 * Creates workers and a counting primary process. Messages stay in order and arrive a few turns of the event loop
 * later.
 */
function service(count: number, delay: () => number = () => 1) {
  let time = 0
  const now = () => time
  const ended = new Set<number>()
  let messages = 0
  const windows = new Windows(undefined, now)
  async function afterSomeTurns(before: Promise<void>, deliver: () => void) {
    await before
    for (let allowed = delay(); allowed > 0; allowed -= 1) await turn()
    deliver()
  }
  /** Delivers messages in order, each a few turns after the previous one. */
  const channel = () => {
    let last = Promise.resolve()
    return (deliver: () => void) => {
      messages += 1
      last = afterSomeTurns(last, deliver)
    }
  }
  const workers = Array.from({ length: count }, (_, worker) => {
    const [up, down] = [channel(), channel()]
    const counter = remoteCounter((request) => {
      if (ended.has(worker)) return
      up(() => {
        const response = respondTo(windows, request)
        if (response) down(() => counter.receive(response))
      })
    })
    return new Leases(counter, now)
  })
  return {
    ask: async (worker: number, limit: number, key = 'key') => {
      const window = await workers[worker]?.count(key, limit)
      assert.ok(window)
      return window
    },
    /** Whether the worker can decide without a message. */
    isAtHand: (worker: number, limit: number) =>
      !(workers[worker]?.count('key', limit) instanceof Promise),
    returnIdleSlots: (worker: number) => workers[worker]?.returnIdleSlots(0),
    pass: (milliseconds: number) => (time += milliseconds),
    end: (worker: number) => ended.add(worker),
    messages: () => messages,
  }
}

/** Sends requests one millisecond apart. @returns how many were admitted */
async function use(
  { ask: send, pass }: ReturnType<typeof service>,
  worker: number,
  limit: number,
  count: number,
) {
  let through = 0
  for (let request = 0; request < count; request += 1) {
    const { exceeded } = await send(worker, limit)
    if (!exceeded) through += 1
    pass(1)
  }
  return through
}

const countAllowed = (windows: { exceeded: boolean }[]) =>
  windows.filter(({ exceeded }) => !exceeded).length

describe('a window shared by workers', () => {
  it('admits exactly its limit, regardless of worker and message delay', async () => {
    for (let round = 1; round <= 60; round += 1) {
      const workers = 1 + (round % 4)
      // Covers one to dozens of messages in flight, in a different order each round.
      let state = round
      const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below
      const { ask: send } = service(workers, () => random(1 + (round % 5)))
      const limit = 1 + random(60)
      const requests = limit + random(60)
      const windows: Promise<{ exceeded: boolean }>[] = []
      for (let request = 0; request < requests; request += 1) {
        windows.push(send(random(workers), limit))
        if (random(3) === 0) await turn()
      }
      assert.equal(countAllowed(await Promise.all(windows)), limit, `round ${round}`)
    }
  })

  it('is followed by an unused window', async () => {
    const { ask: send, pass } = service(2)
    for (const worker of [0, 1, 0]) assert.equal((await send(worker, 3)).exceeded, false)
    const { exceeded, remaining, resetMs } = await send(1, 3)
    assert.deepEqual(
      { exceeded, remaining, resetMs },
      { exceeded: true, remaining: 0, resetMs: 60_000 },
    )
    pass(59_999)
    assert.equal((await send(0, 3)).resetMs, 1)
    pass(1)
    assert.deepEqual(await send(0, 3), { limit: 3, remaining: 2, resetMs: 60_000, exceeded: false })
  })

  it('needs one message each way per turn of the event loop, and few messages for a busy key', async () => {
    const together = service(1)
    await Promise.all(Array.from({ length: 20 }, (_, key) => together.ask(0, 60, `key ${key}`)))
    assert.equal(together.messages(), 2)
    const busy = service(2)
    assert.equal(await use(busy, 0, 100_000, 2_000), 2_000)
    assert.ok(busy.messages() <= 200, `${busy.messages()} messages`)
  })

  it('needs no messages for 100 ms once it is full', async () => {
    const { ask: send, pass, isAtHand, messages } = service(2)
    for (let request = 0; request < 4; request += 1) await send(0, 3)
    const before = messages()
    assert.ok(isAtHand(0, 3))
    assert.equal((await send(0, 3)).exceeded, true)
    assert.equal(messages(), before)
    pass(100)
    assert.ok(!isAtHand(0, 3), 'another worker may have given slots back')
  })

  it('adopts a changed limit', async () => {
    const { ask: send } = service(2)
    for (const worker of [0, 1, 0]) assert.equal((await send(worker, 3)).exceeded, false)
    assert.equal((await send(0, 3)).exceeded, true)
    assert.deepEqual(
      [(await send(0, 5)).exceeded, (await send(1, 5)).exceeded, (await send(0, 5)).exceeded],
      [false, false, true],
    )
  })

  it('loses the slots of a worker that died, which are at most a fiftieth of the limit', async () => {
    const workers = service(2)
    const used = await use(workers, 0, 1_000, 500)
    workers.end(0)
    const allowed = countAllowed(
      await Promise.all(Array.from({ length: 1_000 }, () => workers.ask(1, 1_000))),
    )
    assert.ok(used + allowed < 1_000, 'it held slots')
    assert.ok(used + allowed >= 1_000 - 1_000 / 50, `${used} and ${allowed}`)
  })

  it('regains slots that a worker does not use', async () => {
    const workers = service(2)
    const used = await use(workers, 0, 1_000, 500)
    await workers.returnIdleSlots(0)
    const windows = await Promise.all(Array.from({ length: 1_000 }, () => workers.ask(1, 1_000)))
    assert.equal(countAllowed(windows), 1_000 - used)
  })

  it('grants at most an eighth of what is free as spare slots, and takes back only slots of the current window', () => {
    let time = 0
    const windows = new Windows(undefined, () => time)
    const take = () => windows.take('key', { needed: 8, spare: 100, limit: 88 })
    const first = take()
    assert.deepEqual(first, { granted: 18, free: 70, remainingMs: 60_000, window: first.window })
    time = 10_000
    windows.returnSlots('unknown', 18, first.window)
    windows.returnSlots('key', 18, 'another')
    assert.deepEqual(take(), { ...first, granted: 15, free: 55, remainingMs: 50_000 })
  })

  it('ignores a grant that no request waits for', () => {
    const grant = { granted: 1, free: 0, remainingMs: 1, window: 1 }
    remoteCounter(() => {}).receive([{ id: 1, grant }])
  })

  it('is independent of the windows of other keys', async () => {
    const { ask: send } = service(2)
    assert.equal((await send(0, 1)).exceeded, false)
    assert.equal((await send(1, 1, 'another')).exceeded, false)
    assert.equal((await send(1, 1)).exceeded, true)
  })
})
