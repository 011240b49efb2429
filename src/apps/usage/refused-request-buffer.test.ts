import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RefusedRequestBuffer, type RefusedRequest } from './refused-request-buffer.ts'

// as: the content does not matter here
const REFUSED = {} as RefusedRequest

describe('RefusedRequestBuffer', () => {
  it('holds at most twenty requests per app and five hundred in total between two writes', () => {
    const requests = new RefusedRequestBuffer()
    let described = 0
    const add = (app: number) =>
      requests.add(`app-${app}`, () => {
        described += 1
        return REFUSED
      })
    const addMany = () => {
      for (let app = 0; app < 30; app += 1) for (let count = 0; count < 25; count += 1) add(app)
    }
    for (let times = 1; times <= 2; times += 1) {
      addMany()
      const drained = Object.groupBy(requests.drain(), ({ client_id }) => client_id)
      const counts = Object.values(drained).map((requests) => requests?.length)
      assert.deepEqual(counts, Array(25).fill(20))
      assert.equal(described, times * 500, 'what is dropped is not described')
    }
    assert.deepEqual(requests.drain(), [])
  })
})
