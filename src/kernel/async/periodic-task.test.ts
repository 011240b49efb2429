import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startPeriodicTask, UNTIL_WOKEN } from './periodic-task.ts'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'

/** Error handler of tasks that must not fail. */
const unexpected = (error: unknown) => assert.fail(String(error))

describe('startPeriodicTask', () => {
  it('does not start a run before the previous one has ended', async () => {
    let underWay = 0
    let atOnce = 0
    const third = Promise.withResolvers<void>()
    let runs = 0
    const task = startPeriodicTask(
      1,
      async () => {
        atOnce = Math.max(atOnce, (underWay += 1))
        await new Promise((resolve) => setTimeout(resolve, 5))
        underWay -= 1
        if ((runs += 1) === 3) third.resolve()
      },
      unexpected,
    )
    await third.promise
    await task.stop()
    assert.equal(atOnce, 1)
  })

  it('stops after the current run', async () => {
    const started = Promise.withResolvers<void>()
    const endGate = Promise.withResolvers<void>()
    const events: string[] = []
    const task = startPeriodicTask(
      1,
      async () => {
        events.push('begun')
        started.resolve()
        await endGate.promise
        events.push('ended')
      },
      unexpected,
    )
    await started.promise
    const stopped = task.stop().then(() => events.push('stopped'))
    endGate.resolve()
    await stopped
    await new Promise((resolve) => setTimeout(resolve, 10))
    assert.deepEqual(events, ['begun', 'ended', 'stopped'])
  })

  it('stops at once while it waits', async () => {
    await startPeriodicTask(60_000, () => assert.fail(), unexpected).stop()
  })

  it('reports a failed run and continues', async () => {
    const twice = Promise.withResolvers<void>()
    const errors: unknown[] = []
    const fault = new Error('The first one')
    let runs = 0
    const task = startPeriodicTask(
      () => 1,
      async () => {
        if ((runs += 1) === 1) throw fault
        twice.resolve()
      },
      (error) => errors.push(error),
    )
    await twice.promise
    await task.stop()
    assert.deepEqual(errors, [fault])
  })

  it('starts a run at once when it is woken while it waits', async () => {
    const started = Promise.withResolvers<void>()
    const task = startPeriodicTask(60_000, async () => started.resolve(), unexpected)
    task.wake()
    await started.promise
    await task.stop()
  })

  it('runs once more if it is woken during a run, however often', async () => {
    const second = Promise.withResolvers<void>()
    let runs = 0
    const task = startPeriodicTask(
      60_000,
      async () => {
        runs += 1
        if (runs === 2) return second.resolve()
        task.wake()
        task.wake()
      },
      unexpected,
    )
    task.wake()
    await second.promise
    await new Promise((resolve) => setTimeout(resolve, 10))
    await task.stop()
    assert.equal(runs, 2)
  })

  it('signals a run to end early when it is stopped', async () => {
    const started = Promise.withResolvers<void>()
    const task = startPeriodicTask(
      1,
      async (stopping) => {
        started.resolve()
        await new Promise((resolve) => stopping.addEventListener('abort', resolve))
      },
      unexpected,
    )
    await started.promise
    await task.stop()
  })

  it('runs only when woken if it has no interval', async () => {
    let runs = 0
    const task = startPeriodicTask(UNTIL_WOKEN, async () => void (runs += 1), unexpected)
    await sleep(20)
    assert.equal(runs, 0)
    await task.stop()
  })

  it('accepts a function that returns the delay, and does not keep the process alive while it waits', async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    let runs = 0
    const task = startPeriodicTask(
      () => 60_000,
      async () => void (runs += 1),
      unexpected,
    )
    await setImmediate()
    assert.deepEqual([runs, timers()], [0, before])
    await task.stop()
  })
})
