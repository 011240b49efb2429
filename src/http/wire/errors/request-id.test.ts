import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { requestIds } from './request-id.ts'

describe('the id of a request', () => {
  const nextId = requestIds()

  it('is the caller’s own when it is 1–64 of [A-Za-z0-9._-]', () => {
    for (const id of ['a', 'A-1.b_2', 'x'.repeat(64)])
      assert.equal(nextId({ headers: { 'x-request-id': id } }), id)
  })

  it('is a new one otherwise, of the same letters', () => {
    // Node gives an array of some headers that came twice.
    const given = ['', 'x'.repeat(65), 'a b', 'a"b', 'ä', 'a\n', undefined, ['a', 'b']]
    const ids = given.map((id) => nextId({ headers: { 'x-request-id': id } }))
    assert.equal(new Set(ids).size, given.length)
    for (const id of ids) assert.match(id, /^[0-9a-f]{12}-[0-9a-z]+$/)
  })

  it('is told apart from those of another process', () => {
    assert.notEqual(requestIds()({ headers: {} }), requestIds()({ headers: {} }))
  })
})
