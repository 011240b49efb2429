import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RefusedRequestBuffer, type RefusedRequest } from './refused-request-buffer.ts'

// as: what they say does not matter here
const REFUSED = {} as RefusedRequest

describe('refused requests', () => {
  it('are noted between two writes up to twenty of an app and five hundred of all', () => {
    const requests = new RefusedRequestBuffer()
    let described = 0
    const note = (app: number) =>
      requests.note(`app-${app}`, () => {
        described += 1
        return REFUSED
      })
    const noteMany = () => {
      for (let app = 0; app < 30; app += 1) for (let count = 0; count < 25; count += 1) note(app)
    }
    for (let times = 1; times <= 2; times += 1) {
      noteMany()
      const taken = Object.groupBy(requests.take(), ({ client_id }) => client_id)
      const counts = Object.values(taken).map((noted) => noted?.length)
      assert.deepEqual(counts, Array(25).fill(20))
      assert.equal(described, times * 500, 'what is dropped is not described')
    }
    assert.deepEqual(requests.take(), [])
  })
})
