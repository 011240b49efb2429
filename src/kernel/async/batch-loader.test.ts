import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { batchLoader } from './batch-loader.ts'

describe('BatchLoader', () => {
  type Row = { id: number }
  const rowOf = (id: number): Row => ({ id })

  it('loads keys that are requested together with one call, and returns each caller its own row', async () => {
    const batches: number[][] = []
    const find = batchLoader<number, Row>(
      async (ids) => {
        batches.push(ids)
        return ids
          .filter((id) => id !== 3)
          .map(rowOf)
          .toReversed()
      },
      ({ id }) => id,
    )
    assert.deepEqual(await Promise.all([1, 2, 3, 2].map(find)), [
      rowOf(1),
      rowOf(2),
      undefined,
      rowOf(2),
    ])
    assert.deepEqual(batches, [[1, 2, 3, 2]])
  })

  it('never returns a row that was read before it was requested', async () => {
    let value = 0
    const started = Promise.withResolvers<void>()
    const find = batchLoader<string, { key: string; value: number }>(
      async (keys) => {
        const read = value
        started.resolve()
        await sleep(5)
        return keys.map((key) => ({ key, value: read }))
      },
      ({ key }) => key,
    )
    const early = find('a')
    await started.promise
    value = 1
    assert.equal((await find('a'))?.value, 1)
    assert.equal((await early)?.value, 0)
  })

  it('finds each key when keys are requested one after another', { timeout: 10_000 }, async () => {
    const find = batchLoader<number, Row>(
      async (ids) => ids.map(rowOf),
      ({ id }) => id,
    )
    for (let id = 1; id <= 20; id += 1) assert.deepEqual(await find(id), rowOf(id))
  })

  it('fails all requests in a batch together, and tries again for the next batch', async () => {
    let failing = true
    const find = batchLoader<number, Row>(
      async (ids) => {
        if (failing) throw new Error('away')
        return ids.map(rowOf)
      },
      ({ id }) => id,
    )
    const outcomes = await Promise.allSettled([find(1), find(2)])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    failing = false
    assert.deepEqual(await find(1), rowOf(1))
  })

  it('splits large batches, limits how many run at once, and loses no request', async () => {
    let running = 0
    let max = 0
    let largest = 0
    const find = batchLoader<number, Row>(
      async (ids) => {
        running += 1
        max = Math.max(max, running)
        largest = Math.max(largest, ids.length)
        await sleep(1)
        running -= 1
        return ids.map(rowOf)
      },
      ({ id }) => id,
    )
    const ids = Array.from({ length: 1_000 }, (_, index) => index)
    assert.deepEqual(await Promise.all(ids.map(find)), ids.map(rowOf))
    assert.ok(max <= 4 && largest <= 64, `${max} at once, ${largest} keys`)
  })
})
