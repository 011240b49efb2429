import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { watchDatabaseClock } from './database-clock.ts'

describe('the clock of the database', () => {
  /** Watches a clock that is ahead by `skew.ms`. Every statement takes `skew.delay` milliseconds. */
  async function watch(skew: { ms: number; delay: number }, intervalMs = 3_600_000) {
    let now = 1_000_000_000_000
    const dates = mock.method(Date, 'now', () => now)
    const lines: string[] = []
    const log = {
      info: (text: string) => lines.push(text),
      warn: (_facts: object, text: string) => lines.push(text),
    }
    const readTime = async () => {
      const at = new Date(now + skew.delay / 2 + skew.ms)
      now += skew.delay
      return at
    }
    const clock = await watchDatabaseClock(null as never, log as never, { intervalMs, readTime })
    return {
      clock,
      lines,
      now: () => now,
      async close() {
        dates.mock.restore()
        await clock.stop()
      },
    }
  }

  it('counts as equal while the duration of the statement explains the difference', async () => {
    const { clock, lines, now, close } = await watch({ ms: 400, delay: 1_000 })
    assert.equal(clock.now(), now())
    assert.equal(clock.skewSeconds(), 0)
    assert.deepEqual(lines, [])
    await close()
  })

  for (const [ms, text] of [
    [65_000, /65 seconds behind that of the database/],
    [-3_600_000, /3600 seconds ahead of that of the database/],
  ] as const)
    it(`is corrected, with a warning, if it differs by ${ms} milliseconds`, async () => {
      const { clock, lines, now, close } = await watch({ ms, delay: 10 })
      assert.ok(Math.abs(clock.now() - now() - ms) <= 10)
      assert.equal(clock.skewSeconds(), ms / 1_000)
      assert.equal(lines.length, 1)
      assert.match(lines[0] ?? '', text)
      await close()
    })

  it('does not warn of five seconds', async () => {
    const { clock, lines, close } = await watch({ ms: 4_900, delay: 0 })
    assert.equal(clock.skewSeconds(), 5)
    assert.deepEqual(lines, [])
    await close()
  })

  it('is measured again, and a log line reports when the clocks agree', async () => {
    const skew = { ms: 65_000, delay: 0 }
    const { clock, lines, close } = await watch(skew, 5)
    skew.ms = 0
    for (let wait = 0; clock.skewSeconds() !== 0 && wait < 1_000; wait += 1)
      await new Promise((resolve) => setTimeout(resolve, 10))
    assert.equal(clock.skewSeconds(), 0)
    assert.match(lines.at(-1) ?? '', /agree again/)
    await close()
  })
})
