import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { MUTATIONS } from './bounds.ts'

describe('the table of mutations', () => {
  it('matches the source code: each text occurs exactly once in its file', () => {
    const stale = MUTATIONS.filter(
      ({ file, from, test }) =>
        !existsSync(test) || readFileSync(file, 'utf8').split(from).length !== 2,
    )
    assert.deepEqual(stale, [])
  })
})
