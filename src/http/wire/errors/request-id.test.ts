import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { requestIds } from './request-id.ts'

describe('a request id', () => {
  const nextId = requestIds()

  it("is the caller's own if it matches [A-Za-z0-9._-]{1,64}", () => {
    for (const id of ['a', 'A-1.b_2', 'x'.repeat(64)])
      assert.equal(nextId({ headers: { 'x-request-id': id } }), id)
  })

  it('is generated from the same characters if the caller sent none or an invalid one', () => {
    // Node returns an array for some repeated headers.
    const given = ['', 'x'.repeat(65), 'a b', 'a"b', 'ä', 'a\n', undefined, ['a', 'b']]
    const ids = given.map((id) => nextId({ headers: { 'x-request-id': id } }))
    assert.equal(new Set(ids).size, given.length)
    for (const id of ids) assert.match(id, /^[0-9a-f]{12}-[0-9a-z]+$/)
  })

  it('differs from those of another process', () => {
    assert.notEqual(requestIds()({ headers: {} }), requestIds()({ headers: {} }))
  })
})
