import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { combineDates, entryDate, parseDate } from './dates.ts'
import { realItems } from '#test/bangumi-values.ts'

/** Counts a key's real values by precision: full dates, months, years, or no dates. */
function datePrecisions(key: string): number[] {
  const lengths = realItems(key).map(({ value }) => parseDate(value)?.length ?? 0)
  return [10, 7, 4, 0].map((expected) => lengths.filter((length) => length === expected).length)
}

describe('dates in infoboxes', () => {
  it('are parsed from all real values as precisely as possible', () => {
    assert.deepEqual(datePrecisions('发售日'), [165, 14, 0, 0])
    assert.deepEqual(datePrecisions('发行日期'), [28, 1, 0, 0])
    assert.deepEqual(datePrecisions('开始'), [39, 4, 4, 0])
    assert.deepEqual(datePrecisions('结束'), [12, 3, 4, 0])
    assert.deepEqual(datePrecisions('连载开始'), [2, 1, 1, 0])
    assert.deepEqual(datePrecisions('连载结束'), [2, 2, 0, 0])
    assert.deepEqual(datePrecisions('生日'), [32, 3, 10, 28])
  })

  for (const [text, date] of [
    ['1984-08', '1984-08'],
    ['2004年4月28日(PC)', '2004-04-28'],
    ['1977年11月', '1977-11'],
    ['2003年13号(週刊ヤングマガジン)', '2003'],
    ['2000年第43号', '2000'],
    ['1986年1号', '1986'],
    ['2010-08-06 (2010年9月号)', '2010-08-06'],
    ['2011年8月号', '2011-08'],
    ['October 6, 2000', '2000-10-06'],
    ['May 17, 2001', '2001-05-17'],
    ['2024/07/18', '2024-07-18'],
    ['22.10.1954', '1954-10-22'],
    ['1960年８月10日', '1960-08-10'],
    ['1960年-05-06', '1960-05-06'],
    ['2024-03-02（预售）', '2024-03-02'],
    ['1992年', '1992'],
    ['2021-02-30', '2021-02'],
    ['未定', undefined],
    ['12345', undefined],
  ] as const) {
    it(`are parsed from ${text}`, () => assert.equal(parseDate(text), date))
  }

  it('are combined from a month and a later value only if that value is a day of the month', () => {
    assert.equal(combineDates(['1996年12月', '1996-12-11']), '1996-12-11')
    assert.equal(combineDates(['2003年13号', '2004-01-05']), '2003')
    assert.equal(combineDates(['不明']), undefined)
  })

  it('come from the infobox if possible, because the Archive turns a month into its first day', () => {
    assert.equal(entryDate(['1984-08'], '1984-08-01'), '1984-08')
    assert.equal(entryDate([], '1984-08-01'), '1984-08')
    assert.equal(entryDate([], '1984-08-02'), '1984-08-02')
    assert.equal(entryDate([], ''), undefined)
  })
})
