import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Limiter } from './limiter.ts'

const MAX_WAITING = 4

/** Creates a limiter whose clock, turns and statements the test moves. A request is started or refused by its name. */
function openLimiter() {
  const state = {
    now: 0,
    waiting: 0,
    started: [] as string[],
    refused: [] as string[],
    arrivals: [] as unknown[],
  }
  const gone = new Set<string>()
  let turns: (() => void)[] = []
  const limiter = new Limiter<string>({
    maxWaiting: MAX_WAITING,
    waiting: () => state.waiting,
    start(request, since) {
      state.started.push(request)
      state.arrivals.push(since)
    },
    refuse: (request) => void state.refused.push(request),
    isGone: (request) => gone.has(request),
    nextTurn: (run) => void turns.push(run),
    now: () => state.now,
  })
  return {
    state,
    limiter,
    gone,
    add: (...requests: string[]) => requests.forEach((request) => limiter.add(request)),
    turn() {
      const due = turns
      turns = []
      for (const run of due) run()
      return due.length
    },
    pass(milliseconds: number) {
      state.now += milliseconds
      limiter.update()
    },
  }
}

const names = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => String(from + at))

describe('Limiter', () => {
  it('starts requests at once while no statement waits, at most 32 per turn', () => {
    const { state, add, turn } = openLimiter()
    add(...names(1, 40))
    assert.deepEqual(state.started, names(1, 32))
    turn()
    assert.deepEqual(state.started, names(1, 40))
    turn()
    add(...names(41, 72))
    assert.deepEqual(state.started, names(1, 72))
    assert.deepEqual(state.refused, [])
  })

  it('lets requests wait in order while statements wait', () => {
    const { state, limiter, add, turn } = openLimiter()
    state.waiting = MAX_WAITING
    add(...names(1, 33))
    state.waiting -= 1
    assert.deepEqual(state.started, [], 'nothing has woken it')
    limiter.wake()
    limiter.wake()
    assert.equal(turn(), 1)
    assert.deepEqual(state.started, names(1, 32))
    assert.equal(limiter.length, 1)
  })

  it('does not look at anything in the next turn while nothing can be done', () => {
    const { state, add, turn } = openLimiter()
    state.waiting = MAX_WAITING
    add('1')
    assert.equal(turn(), 0)
  })

  it('refuses a request that has waited for half a second', () => {
    const { state, add, pass } = openLimiter()
    state.waiting = MAX_WAITING
    add('1')
    pass(300)
    add('2')
    pass(200)
    assert.deepEqual(state.refused, [])
    pass(1)
    assert.deepEqual(state.refused, ['1'])
  })

  it('refuses at most 128 waiting requests at once, so that others are read in between', () => {
    const { state, add, pass, turn } = openLimiter()
    state.waiting = MAX_WAITING
    add(...names(1, 200))
    pass(501)
    assert.deepEqual(state.refused, names(1, 128))
    turn()
    assert.deepEqual(state.refused, names(1, 200))
  })

  it('passes the arrival time of a request that has waited', () => {
    const { state, add, pass } = openLimiter()
    add('1')
    state.waiting = MAX_WAITING
    add('2')
    state.waiting = 0
    pass(400)
    assert.deepEqual(state.arrivals, [undefined, 0])
  })

  it('refuses new requests while its queue is full, and starts the oldest when there is room', () => {
    const { state, limiter, add } = openLimiter()
    state.waiting = MAX_WAITING
    add(...names(1, 8_194))
    assert.deepEqual([state.refused, limiter.length], [['8193', '8194'], 8_192])
    state.waiting = MAX_WAITING - 1
    limiter.update()
    assert.deepEqual(state.started, names(1, 32))
  })

  it('neither starts nor refuses a request whose client has left', () => {
    const { state, limiter, gone, add, pass } = openLimiter()
    state.waiting = MAX_WAITING
    add('1', '2', '3')
    gone.add('1').add('2')
    state.waiting = 0
    limiter.update()
    assert.deepEqual(state.started, ['3'])
    state.waiting = MAX_WAITING
    add('4')
    gone.add('4')
    pass(1_000)
    assert.deepEqual([state.refused, limiter.length], [[], 0])
  })
})
