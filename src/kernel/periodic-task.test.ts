import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startPeriodicTask } from './periodic-task.ts'

/** Of work that must not fail. */
const unexpected = (error: unknown) => assert.fail(String(error))

describe('work that is done again and again', () => {
  it('is not begun again before the last run has ended', async () => {
    let underWay = 0
    let most = 0
    const third = Promise.withResolvers<void>()
    let runs = 0
    const repetition = startPeriodicTask(
      1,
      async () => {
        most = Math.max(most, (underWay += 1))
        await new Promise((resolve) => setTimeout(resolve, 5))
        underWay -= 1
        if ((runs += 1) === 3) third.resolve()
      },
      unexpected,
    )
    await third.promise
    await repetition.stop()
    assert.equal(most, 1)
  })

  it('is stopped after the run under way, and not begun again', async () => {
    const begun = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const events: string[] = []
    const repetition = startPeriodicTask(
      1,
      async () => {
        events.push('begun')
        begun.resolve()
        await mayEnd.promise
        events.push('ended')
      },
      unexpected,
    )
    await begun.promise
    const stopped = repetition.stop().then(() => events.push('stopped'))
    mayEnd.resolve()
    await stopped
    await new Promise((resolve) => setTimeout(resolve, 10))
    assert.deepEqual(events, ['begun', 'ended', 'stopped'])
  })

  it('is stopped at once while it waits', async () => {
    await startPeriodicTask(60_000, () => assert.fail(), unexpected).stop()
  })

  it('goes on after a run that failed, which is told', async () => {
    const twice = Promise.withResolvers<void>()
    const told: unknown[] = []
    const fault = new Error('The first one')
    let runs = 0
    const repetition = startPeriodicTask(
      () => 1,
      async () => {
        if ((runs += 1) === 1) throw fault
        twice.resolve()
      },
      (error) => told.push(error),
    )
    await twice.promise
    await repetition.stop()
    assert.deepEqual(told, [fault])
  })
})
