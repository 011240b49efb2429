import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { LeaseRequest } from './lease-messages.ts'
import { leasedThrottle } from './leased-throttle.ts'
import { WindowLeases } from './window-leases.ts'

/** Workers with a primary; messages keep their order and arrive some turns of the event loop later. */
function service(count: number, delay: () => number = () => 1) {
  let time = 0
  const now = () => time
  const hung = new Set<number>()
  let messages = 0
  const leases = new WindowLeases(
    (worker, answer) => channels[worker]?.down(() => workers[worker]?.receive(answer)),
    {
      now,
    },
  )
  async function afterSomeTurns(before: Promise<void>, deliver: () => void) {
    await before
    for (let left = delay(); left > 0; left -= 1) await turn()
    deliver()
  }
  /** Things that are done in their order, each some turns after the one before. */
  const channel = () => {
    let last = Promise.resolve()
    return (deliver: () => void) => {
      messages += 1
      last = afterSomeTurns(last, deliver)
    }
  }
  const channels = Array.from({ length: count }, () => ({ up: channel(), down: channel() }))
  const workers = channels.map(({ up }, worker) => {
    leases.join(worker)
    return leasedThrottle(
      (request: LeaseRequest) => {
        if (!hung.has(worker)) up(() => leases.receive(worker, request))
      },
      { now },
    )
  })
  return {
    ask: async (worker: number, limit: number, key = 'key') => {
      const window = await workers[worker]?.throttle(key, limit)
      assert.ok(window)
      return window
    },
    /** Whether it answers without asking. */
    isAtHand: (worker: number, limit: number) =>
      !(workers[worker]?.throttle('key', limit) instanceof Promise),
    pass: (milliseconds: number) => (time += milliseconds),
    hang: (worker: number) => hung.add(worker),
    end: (worker: number) => {
      hung.add(worker)
      leases.forget(worker)
    },
    messages: () => messages,
  }
}

const letThrough = (windows: { exceeded: boolean }[]) => windows.filter(({ exceeded }) => !exceeded).length

describe('a window that workers share', () => {
  it('lets exactly its limit through, whoever is asked, and however long messages take', async () => {
    for (let round = 1; round <= 60; round += 1) {
      const workers = 1 + (round % 4)
      // From one message at once to dozens under way, in an order that no round shares with another.
      let state = round
      const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below
      const { ask } = service(workers, () => random(1 + (round % 5)))
      const limit = 1 + random(60)
      const asked = limit + random(60)
      const windows: Promise<{ exceeded: boolean }>[] = []
      for (let request = 0; request < asked; request += 1) {
        windows.push(ask(random(workers), limit))
        if (random(3) === 0) await turn()
      }
      assert.equal(letThrough(await Promise.all(windows)), limit, `round ${round}`)
    }
  })

  it('counts on after its end, as one that begins', async () => {
    const { ask, pass } = service(2)
    for (const worker of [0, 1, 0]) assert.equal((await ask(worker, 3)).exceeded, false)
    const { exceeded, remaining, resetMs } = await ask(1, 3)
    assert.deepEqual({ exceeded, remaining, resetMs }, { exceeded: true, remaining: 0, resetMs: 60_000 })
    pass(59_999)
    assert.equal((await ask(0, 3)).resetMs, 1)
    pass(1)
    assert.deepEqual(await ask(0, 3), { limit: 3, remaining: 2, resetMs: 60_000, exceeded: false })
  })

  it('tells one who asks the same worker how much is left, to the last', async () => {
    const { ask } = service(2)
    const remaining: number[] = []
    for (let request = 0; request < 10; request += 1) remaining.push((await ask(0, 10)).remaining)
    assert.deepEqual(remaining, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
  })

  it('costs few messages, and none once it is used up', async () => {
    const { ask, messages, isAtHand } = service(2)
    for (let request = 0; request < 60; request += 1) await ask(0, 60)
    assert.ok(messages() <= 14, `${messages()} messages`)
    await ask(0, 60)
    assert.ok(isAtHand(0, 60))
    const large = service(2)
    for (let request = 0; request < 1_000; request += 1) await large.ask(0, 1_000_000)
    assert.equal(large.messages(), 2)
  })

  it('follows a limit that changes while it runs', async () => {
    const { ask } = service(2)
    for (const worker of [0, 1, 0]) assert.equal((await ask(worker, 3)).exceeded, false)
    assert.equal((await ask(0, 3)).exceeded, true)
    assert.deepEqual(
      [(await ask(0, 5)).exceeded, (await ask(1, 5)).exceeded, (await ask(0, 5)).exceeded],
      [false, false, true],
    )
    const raised = service(2)
    await raised.ask(0, 100)
    assert.equal((await raised.ask(0, 2)).exceeded, false)
    assert.equal(
      (await raised.ask(1, 2)).exceeded,
      true,
      'both are used, and the rest of the hundred is void',
    )
  })

  it('takes what a worker held that has ended for used, and waits for it no longer', async () => {
    const { ask, end } = service(3)
    // Thirty in the hands of the first, fifteen of the second.
    await ask(0, 60)
    await ask(1, 60)
    end(0)
    const windows = await Promise.all(Array.from({ length: 60 }, () => ask(1, 60)))
    assert.equal(letThrough(windows), 29)
    assert.equal((await ask(2, 60)).exceeded, true)
  })

  it('gives nothing to a worker before it has said what it has left', () => {
    const sent: string[] = []
    const leases = new WindowLeases((worker, answer) =>
      sent.push('lease' in answer ? `${worker} gets ${answer.lease.amount}` : `${worker} gives back`),
    )
    for (const worker of [0, 1, 2]) leases.join(worker)
    const ask = (worker: number, wanted: number) =>
      leases.receive(worker, { asks: [{ key: 'key', limit: 32, wanted, window: 1, unused: 0 }] })
    const giveBack = (worker: number, unused: number) =>
      leases.receive(worker, { returned: { key: 'key', window: 1, unused } })
    ask(0, 1)
    ask(1, 1)
    ask(2, 8)
    ask(2, 1)
    giveBack(1, 8)
    // On its way before it was asked to give back.
    ask(0, 1)
    giveBack(0, 0)
    ask(1, 2)
    ask(1, 1)
    assert.equal(
      sent.join(', '),
      '0 gets 16, 1 gets 8, 2 gets 8, 0 gives back, 1 gives back, ' +
        '2 gets 4, 0 gets 2, 1 gets 2, 2 gives back, 0 gives back',
    )
  })

  it('does not wait for ever for a worker that stands still', async () => {
    const { ask, hang } = service(2)
    await ask(0, 2)
    await ask(1, 2, 'another')
    hang(0)
    assert.equal((await ask(1, 2)).exceeded, false)
    const held = service(2)
    await held.ask(0, 4)
    held.hang(0)
    const windows = await Promise.all(Array.from({ length: 4 }, () => held.ask(1, 4)))
    assert.equal(letThrough(windows), 2)
  })

  it('is another for another key', async () => {
    const { ask } = service(2)
    assert.equal((await ask(0, 1)).exceeded, false)
    assert.equal((await ask(1, 1, 'another')).exceeded, false)
    assert.equal((await ask(1, 1)).exceeded, true)
  })
})
