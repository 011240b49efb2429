import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertLinear } from '#test/assert-linear.ts'
import { encodingFor } from './content-encoding.ts'

describe('encodingFor', () => {
  it('selects the best encoding that the client accepts', () => {
    for (const [header, expected] of [
      [undefined, undefined],
      ['', undefined],
      ['identity', undefined],
      ['gzip', 'gzip'],
      ['gzip, deflate, br', 'br'],
      ['GZIP;q=1.0, br;q=0.1', 'br'],
      ['br;q=0, gzip', 'gzip'],
      ['br ; q=0.000 , gzip', 'gzip'],
      ['*', 'br'],
      ['*;q=0', undefined],
      ['br;q=0, *', 'gzip'],
      ['deflate, zstd', undefined],
      ['gzip; q=0', undefined],
      [['gzip', 'br'], 'br'],
    ] as const)
      assert.equal(encodingFor(header && [header].flat()), expected, String(header))
  })

  it('runs in linear time', async () => {
    for (const [before, repeated, after] of [
      ['a', ' ', 'b'],
      ['', ';', 'b'],
      ['', 'a,', ''],
      ['a;', 'q=', 'b'],
    ] as const)
      await assertLinear(
        (size) => encodingFor(before + repeated.repeat(size) + after),
        15_000,
        repeated,
      )
  })
})
