import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addDays, addMonths, columnOf, daysIn, parseDay, parseMonth, todayIn } from './month.ts'

describe('months of the calendar', () => {
  it('accept existing months and days only', () => {
    for (const text of ['1970-01', '2026-11', '2099-12']) assert.equal(parseMonth(text), text)
    for (const text of [
      '',
      '1969-12',
      '2100-01',
      '2026-13',
      '2026-00',
      '2026-1',
      '2026-11-01',
      'x',
    ])
      assert.equal(parseMonth(text), undefined, text)
    for (const text of ['2026-11-30', '2024-02-29']) assert.equal(parseDay(text), text)
    for (const text of ['2026-11-31', '2026-02-29', '2026-11-00', '2026-11-1', '2100-01-01', ''])
      assert.equal(parseDay(text), undefined, text)
  })

  it('have the right neighbors at the ends of years and months', () => {
    assert.equal(addMonths('2026-12', 1), '2027-01')
    assert.equal(addMonths('2026-01', -1), '2025-12')
    assert.equal(addDays('2026-03-01', -1), '2026-02-28')
    assert.equal(daysIn('2024-02').length, 29)
    assert.deepEqual(daysIn('2026-11').slice(-2), ['2026-11-29', '2026-11-30'])
  })

  it('start the week on the first weekday of the language', () => {
    // 1 November 2026 is a Sunday.
    assert.equal(columnOf('en', '2026-11-01'), 7)
    assert.equal(columnOf('ja', '2026-11-01'), 1)
    assert.equal(columnOf('ko', '2026-11-01'), 1)
    assert.equal(columnOf('ja', '2026-11-07'), 7)
  })

  it('return the current day in a time zone', () => {
    const now = Date.UTC(2026, 10, 29, 23, 30)
    assert.equal(todayIn(undefined, now), '2026-11-29')
    assert.equal(todayIn('Asia/Tokyo', now), '2026-11-30')
  })
})
