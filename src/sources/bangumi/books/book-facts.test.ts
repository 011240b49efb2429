import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseCount, parseIsbn } from './book-facts.ts'
import { realItems, unreadable } from '#test/bangumi-values.ts'

describe('the parsers of book facts', () => {
  it('parse every real ISBN as a valid ISBN-13, and every real count', () => {
    assert.equal(realItems('ISBN').length, 154)
    for (const key of ['ISBN', 'ISBN-10']) assert.deepEqual(unreadable(key, parseIsbn), [])
    assert.deepEqual([...unreadable('页数', parseCount), ...unreadable('册数', parseCount)], [])
  })

  it('convert ISBN-10 to ISBN-13, ignore hyphens, and reject a wrong check digit', () => {
    assert.equal(parseIsbn('9577086705'), '9789577086709')
    assert.equal(parseIsbn('419960250X'), '9784199602504')
    assert.equal(parseIsbn('978-4-910052-03-8'), '9784910052038')
    assert.equal(parseIsbn('9784199602505'), undefined)
    assert.equal(parseIsbn('B01M4QPG1N'), undefined)
  })

  it('find a count that is surrounded by words', () => {
    assert.deepEqual(['208页', '既刊6巻', '3册', '１１０', '0'].map(parseCount), [
      208,
      6,
      3,
      110,
      undefined,
    ])
  })
})
