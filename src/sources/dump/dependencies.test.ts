import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Dependencies } from './dependencies.ts'

describe('Dependencies', () => {
  it('treat a month as in the future only before its first day', () => {
    const dependencies = new Dependencies('2026-11-21')
    const dates = ['2026-12', '2026-11', '2026-11-22', '2026-11-21', '2027', '2026']
    assert.deepEqual(
      dates.map((date) => dependencies.isFuture(date)),
      [true, false, true, false, true, false],
    )
  })

  it('expire on the earliest future date that was checked', () => {
    const untilOf = (...dates: string[]) => {
      const dependencies = new Dependencies('2026-11-21')
      for (const date of dates) dependencies.isFuture(date)
      return dependencies.until
    }
    assert.equal(untilOf(), undefined)
    assert.equal(untilOf('2026', '2026-11', '2026-11-21'), undefined)
    assert.equal(untilOf('2027', '2026-12-24', '2026-12-25'), '2026-12-24')
    assert.equal(untilOf('2026-12-24', '2026-12'), '2026-12-01')
    assert.equal(untilOf('2027'), '2027-01-01')
  })
})
