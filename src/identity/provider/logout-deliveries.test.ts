import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { LogoutDeliveries } from './backchannel-logout.ts'
import type { LibraryProvider } from './oidc-provider.ts'

/**
 * Creates deliveries for a fake library. Its apps respond, and pauses between attempts end, only when the test says so.
 */
function open() {
  const logged: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) })
  const pauses: number[] = []
  const responders: (() => void)[] = []
  class Client {
    clientId = 'app'
    // `LogoutDeliveries` replaces this method with one that returns at once.
    async backchannelLogout(_accountId: string, _sessionId: string): Promise<void> {
      await new Promise<void>((respond) => responders.push(respond))
    }
  }
  const paused: (() => void)[] = []
  const deliveries = new LogoutDeliveries(log, async (milliseconds) => {
    pauses.push(milliseconds)
    await new Promise<void>((end) => paused.push(end))
  })
  // as: only this part of the library is used
  deliveries.runInBackground({ Client } as unknown as LibraryProvider)
  const deliver = (times: number) => {
    const client = new Client()
    for (let count = 0; count < times; count += 1) void client.backchannelLogout('1', 'session')
  }
  const respondAll = async () => {
    for (let pending = responders.splice(0); pending.length > 0; pending = responders.splice(0)) {
      for (const respond of pending) respond()
      await setImmediate()
    }
  }
  return {
    deliveries,
    tell: deliver,
    answers: responders,
    answerAll: respondAll,
    pauses,
    paused,
    logged,
  }
}

describe('logout tokens', () => {
  it('are sent to at most 500 apps at once, and retried after 5 and 50 seconds', async () => {
    const { tell: deliver, answers: responders, answerAll, pauses, paused, logged } = open()
    deliver(501)
    await setImmediate()
    assert.equal(responders.length, 500)
    assert.deepEqual(pauses, [5_000])
    paused[0]?.()
    await setImmediate()
    assert.deepEqual(pauses, [5_000, 50_000])
    await answerAll()
    // All slots are free again.
    paused[1]?.()
    deliver(499)
    await setImmediate()
    assert.equal(responders.length, 500)
    assert.deepEqual(logged, [])
    await answerAll()
  })

  it('are queued up to 5,000 per process; beyond that, each app that is not notified is logged', async () => {
    const { tell: deliver, answerAll, paused, pauses, logged } = open()
    deliver(5_000)
    await setImmediate()
    assert.deepEqual([logged.length, pauses.length], [0, 4_500])
    deliver(1)
    assert.match(logged[0] ?? '', /an app was not notified/)
    await answerAll()
    deliver(1)
    assert.equal(logged.length, 1)
    for (const end of paused) end()
    await answerAll()
  })
})
