import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Limiter } from './limiter.ts'

const ON_TIME = { lagMs: 0, queueMs: 0 }
const LAGGING = { lagMs: 150, queueMs: 0 }
const QUEUEING = { lagMs: 0, queueMs: 300 }

const repeat = (times: number, run: () => void) => {
  for (let time = 0; time < times; time += 1) run()
}

function limiterWith(inWork: number) {
  const limiter = new Limiter(8)
  repeat(inWork, () => limiter.begin())
  return limiter
}

describe('Limiter', () => {
  it('admits everything while the process is on time', () => {
    const limiter = limiterWith(9_000)
    repeat(10, () => limiter.tick(ON_TIME))
    assert.ok(limiter.admits())
  })

  it('ignores a single late tick', () => {
    const limiter = limiterWith(100)
    for (const delays of [LAGGING, ON_TIME, QUEUEING, ON_TIME]) limiter.tick(delays)
    assert.equal(limiter.limit, Infinity)
  })

  for (const [name, delays, min] of [
    ['the event loop', LAGGING, 32],
    ['the pool', QUEUEING, 8],
  ] as const)
    it(`refuses requests while ${name} is late, but never below a minimum`, () => {
      const limiter = limiterWith(100)
      repeat(2, () => limiter.tick(delays))
      assert.equal(limiter.admits(), false)
      assert.equal(limiter.limit, 80)
      repeat(50, () => limiter.tick(delays))
      assert.equal(limiter.limit, min)
    })

  it('tells a late event loop from a late database', () => {
    const limiter = new Limiter(8)
    limiter.tick(QUEUEING)
    assert.equal(limiter.isLagging, false)
    limiter.tick(LAGGING)
    assert.equal(limiter.isLagging, true)
  })

  it('admits more again while the process is on time, slowly as long as it refuses requests', () => {
    const limiter = limiterWith(100)
    repeat(50, () => limiter.tick(QUEUEING))
    limiter.refuse()
    limiter.tick(ON_TIME)
    assert.ok(limiter.limit > 8 && limiter.limit < 10)
    repeat(60, () => limiter.tick(ON_TIME))
    assert.equal(limiter.limit, Infinity)
  })

  it('stops to count requests that take several seconds, so that slow clients do not use up the limit', () => {
    const limiter = new Limiter(8)
    const slow = Array.from({ length: 100 }, () => limiter.begin())
    repeat(120, () => limiter.tick(QUEUEING))
    assert.equal(limiter.limit, 8)
    assert.ok(limiter.admits())
    for (const bucket of slow) limiter.end(bucket)
    repeat(8, () => limiter.begin())
    assert.equal(limiter.admits(), false)
  })
})
