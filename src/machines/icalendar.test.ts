import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { iCalendarLines, iCalendarText } from './icalendar.ts'

describe('iCalendar', () => {
  it('escapes text and removes control characters', () => {
    assert.equal(iCalendarText('a,b;c\\d\r\ne\nf\u0000\u0007'), 'a\\,b\\;c\\\\d\\ne\\nf')
  })

  it('folds lines at 75 octets, between characters', () => {
    for (const line of [
      `SUMMARY:${'猫'.repeat(90)}`,
      `SUMMARY:${'a'.repeat(200)}`,
      '🐈'.repeat(60),
      'a'.repeat(75),
    ]) {
      const text = iCalendarLines([line])
      assert.ok(text.endsWith('\r\n'))
      for (const part of text.slice(0, -2).split('\r\n'))
        assert.ok(Buffer.byteLength(part) <= 75, part)
      assert.equal(text.slice(0, -2).replaceAll('\r\n ', ''), line)
    }
    assert.equal(iCalendarLines(['a'.repeat(75)]), `${'a'.repeat(75)}\r\n`)
  })
})
