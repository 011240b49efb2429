import assert from 'node:assert/strict'
import type { Worker } from 'node:cluster'
import { it } from 'node:test'
import { BEAT_MS, watchStalls } from './stalls.ts'

it('a worker without beats gets no connections after two seconds, and is killed after ten', ({
  mock,
}) => {
  mock.timers.enable({ apis: ['setInterval'] })
  const events: string[] = []
  const note = (event: string) => () => void events.push(event)
  const stalls = watchStalls(note('stalled'), note('resumed'), note('stuck'))
  // as: only the identity of the worker is used
  const worker = {} as Worker
  const pass = (milliseconds: number) => {
    events.length = 0
    mock.timers.tick(milliseconds)
    return events
  }
  const beat = () => {
    events.length = 0
    stalls.beat(worker)
    return events
  }

  assert.deepEqual(beat(), [])
  assert.deepEqual(pass(2_000 - BEAT_MS), [])
  assert.deepEqual(beat(), [], 'a late beat')
  assert.deepEqual(pass(2_000), ['stalled'])
  assert.deepEqual(beat(), ['resumed'])
  assert.deepEqual(pass(10_000 - BEAT_MS), ['stalled'])
  assert.deepEqual(pass(BEAT_MS), ['stuck'])
  assert.deepEqual(pass(60_000), [])
})
