import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { importQueue } from './import-queue.ts'

describe('importQueue', () => {
  it('runs two imports at once, queues twenty and rejects more with 503', async () => {
    const queue = importQueue()
    const { promise: end, resolve } = Promise.withResolvers<void>()
    let [running, maxRunning] = [0, 0]
    const work = async () => {
      running += 1
      maxRunning = Math.max(maxRunning, running)
      await end
      running -= 1
    }
    const admitted = Array.from({ length: 22 }, (_, account) => queue.enqueue(account, work))
    await setImmediate()
    assert.equal(running, 2)
    const refused = assert.rejects(queue.enqueue(22, work), { status: 503 })
    assert.equal(queue.isBusy(21), true)
    await setImmediate()
    resolve()
    await Promise.all([...admitted, refused])
    assert.equal(maxRunning, 2)
    assert.equal(queue.isBusy(21), false)
    await queue.enqueue(22, work)
  })

  it('runs imports of an account in order, even after failures', async () => {
    const queue = importQueue()
    const done: number[] = []
    const works = [1, 2, 3].map((number) =>
      queue.enqueue(1, async () => {
        await setImmediate()
        done.push(number)
        if (number === 1) throw new Error('the first fails')
      }),
    )
    const outcomes = await Promise.allSettled(works)
    assert.deepEqual(done, [1, 2, 3])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'fulfilled', 'fulfilled'],
    )
  })
})
