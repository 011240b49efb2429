import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { JobQueue } from './job-queue.ts'

describe('a job queue', () => {
  it('runs a limited number of jobs at once, queues a limited number in order, and rejects the rest', async () => {
    const queue = new JobQueue(2, 3, () => new Error('too many'))
    const begun: number[] = []
    const ends: (() => void)[] = []
    const add = (number: number) =>
      queue.run(async () => {
        begun.push(number)
        await new Promise<void>((end) => (ends[number] = end))
        return number
      })
    const jobs = [0, 1, 2, 3, 4].map(add)
    await assert.rejects(add(5), /too many/)
    assert.deepEqual(begun, [0, 1])
    ends[1]?.()
    assert.equal(await jobs[1], 1)
    await setImmediate()
    assert.deepEqual(begun, [0, 1, 2])
    // The queue now has exactly one free place.
    const sixth = add(6)
    await assert.rejects(add(7), /too many/)
    for (const number of [0, 2, 3, 4, 6]) {
      ends[number]?.()
      await setImmediate()
    }
    assert.deepEqual(await Promise.all([...jobs, sixth]), [0, 1, 2, 3, 4, 6])
    assert.deepEqual(begun, [0, 1, 2, 3, 4, 6])
  })

  it('frees the slot of a job that fails', async () => {
    const queue = new JobQueue(1, 0, () => new Error('too many'))
    for (let times = 0; times < 3; times += 1)
      await assert.rejects(
        queue.run(async () => {
          throw new Error('failed')
        }),
        /failed/,
      )
    assert.equal(await queue.run(async () => 'done'), 'done')
  })
})
