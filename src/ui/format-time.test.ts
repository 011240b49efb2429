import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LANGUAGES } from '../i18n/languages.ts'
import { dayElement, formatShortDate, relativeTimeElement } from './format-time.ts'

const NOW = Date.parse('2026-03-10T12:00:00Z')
const ago = (iso: string, language: (typeof LANGUAGES)[number] = 'en') =>
  />([^<]*)</.exec(relativeTimeElement({ language }, new Date(iso), NOW).toString())?.[1]

describe('relative times', () => {
  it('name the largest whole unit', () => {
    assert.equal(ago('2026-03-10T11:59:40Z'), 'this minute')
    assert.equal(ago('2026-03-10T11:15:00Z'), '45 minutes ago')
    assert.equal(ago('2026-03-10T09:00:00Z'), '3 hours ago')
    assert.equal(ago('2026-03-07T11:00:00Z'), '3 days ago')
    assert.equal(ago('2026-01-01T00:00:00Z'), '2 months ago')
  })

  it('are days after a year, and never in the future', () => {
    assert.equal(ago('2024-04-28T00:00:00Z'), '28 April 2024')
    assert.equal(ago('2026-03-10T12:05:00Z'), 'this minute')
  })

  it('have the exact time as a tooltip, in every language', () => {
    for (const language of LANGUAGES)
      assert.match(
        relativeTimeElement({ language }, new Date(NOW), NOW).toString(),
        /^<time datetime="2026-03-10T12:00:00\.000Z" title="[^"]*2026[^"]*">[^<]+<\/time>$/,
      )
  })
})

describe('days of the calendar', () => {
  it('are the same in every time zone and follow the language', () => {
    const day = '2004-04-28T00:00:00Z'
    assert.equal(
      dayElement('en', day).toString(),
      '<time datetime="2004-04-28">28 April 2004</time>',
    )
    assert.match(dayElement('ja', day).toString(), />2004年4月28日</)
    assert.match(dayElement('ko', day).toString(), />2004년 4월 28일</)
  })

  it('name only the known parts of a short date', () => {
    const shown = (language: (typeof LANGUAGES)[number]) =>
      ['2024-01-28', '2024-03', '2024'].map((date) => formatShortDate(language, date))
    assert.deepEqual(shown('en'), ['28 Jan 2024', 'Mar 2024', '2024'])
    assert.deepEqual(shown('ja'), ['2024年1月28日', '2024年3月', '2024年'])
    assert.equal(formatShortDate('en', '2004-13'), '2004-13')
    assert.equal(formatShortDate('en', 'spring'), 'spring')
  })
})
