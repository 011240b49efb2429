import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeProgress, showProgress, type Expectation } from './import-progress.ts'

const LAST: Expectation = {
  records: 1000,
  phaseSeconds: { staging: 5, reading: 20, comparing: 3, joining: 1, deriving: 10, indexing: 6 },
}
const reading = { phase: 'reading', done: 500, total: undefined, unit: 'records' } as const

describe('the import progress display', () => {
  it('shows the amount done, the rate, and the time left including later phases', () => {
    assert.equal(
      describeProgress(reading, 10, LAST, false),
      'reading, 500 of about 1,000 records, 50/s, 30 s left',
    )
    assert.equal(
      describeProgress(
        { phase: 'indexing', done: 2, total: 8, unit: 'entries' },
        40,
        undefined,
        false,
      ),
      'indexing, 2 of 8 entries, 0/s, 2 min left',
    )
    assert.equal(
      describeProgress({ phase: 'deriving', done: 0, total: 8, unit: 'steps' }, 4, LAST, false),
      'deriving, 0 of 8 steps, 12 s left',
    )
  })

  it('shows only the amount and rate for the first import of a source', () => {
    assert.equal(describeProgress(reading, 10, undefined, false), 'reading, 500 records, 50/s')
  })

  it('omits the estimate if a phase overruns its last duration or counts only steps, or if a later phase was never timed', () => {
    const steps = { phase: 'comparing', done: 3, total: 4, unit: 'steps' } as const
    assert.equal(describeProgress(steps, 4, LAST, false), 'comparing, 3 of 4 steps')
    assert.equal(describeProgress(steps, 60, undefined, false), 'comparing, 3 of 4 steps')
    const { joining: _joining, ...phaseSeconds } = LAST.phaseSeconds
    assert.equal(
      describeProgress(steps, 1, { ...LAST, phaseSeconds }, false),
      'comparing, 3 of 4 steps',
    )
  })

  it('drops the estimate once this import reads many more records than the previous one', () => {
    const texts: string[] = []
    let time = 0
    const progress = showProgress({
      name: 'vndb',
      write: (text) => void texts.push(text),
      isTerminal: false,
      now: () => time,
    })
    progress.expect({ ...LAST, records: 302 })
    time = 10_000
    progress.update({ ...reading, done: 42_500 })
    progress.end()
    assert.deepEqual(texts, ['vndb: reading, 42,500 records\n'])
  })

  it('includes a bar on a terminal', () => {
    assert.equal(
      describeProgress(reading, 10, LAST, true),
      'reading   [############............]  50 %, 500 of about 1,000 records, 50/s, 30 s left',
    )
  })

  /** Returns what an import prints while the test advances a fake clock. */
  function written(isTerminal: boolean, seconds: number[]) {
    let time = 0
    const texts: string[] = []
    const progress = showProgress({
      name: 'vndb',
      write: (text) => void texts.push(text),
      isTerminal,
      now: () => time,
    })
    for (const [index, second] of seconds.entries()) {
      time = second * 1000
      progress.update({ ...reading, done: index })
    }
    progress.end()
    return texts
  }

  it('prints a line every ten seconds, and no line for an import that finishes sooner', () => {
    assert.deepEqual(written(false, [0, 1, 9.9]), [])
    assert.deepEqual(written(false, [1, 11, 12, 19, 22]), [
      'vndb: reading, 1 records, 0/s\n',
      'vndb: reading, 4 records, 0/s\n',
    ])
  })

  it('redraws one terminal line five times a second and once at the end', () => {
    assert.deepEqual(written(true, [0, 0.1, 0.15, 0.3]), [
      '\rvndb: reading, 0 records\u001B[K',
      '\rvndb: reading, 3 records, 10/s\u001B[K',
      '\rvndb: reading, 3 records, 10/s\u001B[K',
      '\n',
    ])
  })
})
