import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { platformCode } from './platforms.ts'
import { realItems } from '#test/bangumi-values.ts'

describe('platformCode', () => {
  it('knows every real platform that has a code', () => {
    const names = realItems('平台')
      .map(({ label, value }) => (label ? `${label}|${value}` : value))
      .filter((name) => name !== 'PS3、PSV')
    assert.deepEqual(
      names.filter((name) => !platformCode(name)),
      ['Stadia', '街机', 'Atari 2600'],
    )
    assert.deepEqual(['Xbox Series X|S', 'ＰＳ２', 'Nintendo Switch'].map(platformCode), [
      'xxs',
      'ps2',
      'swi',
    ])
  })
})
