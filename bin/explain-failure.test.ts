import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { explainFailure } from './explain-failure.ts'

describe('the explanation of a failure', () => {
  const { PORT: before } = process.env
  afterEach(() => {
    if (before === undefined) delete process.env['PORT']
    else process.env['PORT'] = before
  })

  it('is the message of the error if a setting that the command does not need is invalid', () => {
    process.env['PORT'] = 'none'
    assert.equal(explainFailure(new Error('The server is away.')), 'The server is away.')
  })
})
