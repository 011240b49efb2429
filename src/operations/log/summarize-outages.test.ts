import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { pino } from 'pino'
import { summarizeOutages } from './summarize-outages.ts'

type Line = { msg: string; count?: number; request_id?: string }

function openLog() {
  const lines: Line[] = []
  const log = pino(
    { hooks: { logMethod: summarizeOutages(10_000) } },
    // as: pino writes one JSON object per line
    { write: (line: string) => void lines.push(JSON.parse(line) as Line) },
  )
  return { log, lines, told: () => lines.splice(0).map(({ msg, count }) => [msg, count]) }
}

const connectionError = () => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })

describe('summarizeOutages', () => {
  it('logs the first line of each message, then one summary per interval, until an interval has no lines', () => {
    mock.timers.enable({ apis: ['setInterval'] })
    try {
      const { log, lines, told: summaries } = openLog()
      for (let request = 0; request < 50; request += 1)
        log.error({ err: connectionError(), request_id: request }, 'Refused')
      log.child({ worker: 1 }).warn({ err: connectionError() }, 'Not polled')
      assert.deepEqual(summaries(), [
        ['Refused', undefined],
        ['Not polled', undefined],
      ])
      mock.timers.tick(10_000)
      assert.equal(lines[0]?.request_id, 49)
      assert.deepEqual(summaries(), [['Refused', 49]])
      log.error({ status: 503, err: new Error('refused') }, 'Refused')
      mock.timers.tick(10_000)
      assert.deepEqual(summaries(), [['Refused', 1]])
      mock.timers.tick(10_000)
      log.error({ err: connectionError() }, 'Refused')
      assert.deepEqual(summaries(), [['Refused', undefined]])
    } finally {
      mock.timers.reset()
    }
  })

  it('does not summarize lines that have an id or are unrelated to an outage', () => {
    const { log, told: summaries } = openLog()
    for (let line = 0; line < 3; line += 1) {
      log.error({ err: new Error('a fault of ours'), status: 500 }, 'Failed')
      log.warn({ err: connectionError(), id: line }, 'An email could not be sent')
    }
    log.info('a text')
    assert.equal(summaries().length, 7)
  })
})
