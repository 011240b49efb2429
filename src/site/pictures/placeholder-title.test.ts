import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fitTitle, TITLE_SIZES } from './placeholder-title.ts'

const LAST = TITLE_SIZES.length - 1

describe('the title of a placeholder', () => {
  it('is larger if it is shorter', () => {
    const steps = ['AIR', 'CLANNAD', 'STEINS;GATE', 'Remember11 -the age of infinity-'].map(
      (title) => fitTitle(title).step,
    )
    assert.deepEqual(
      steps,
      steps.toSorted((one, other) => one - other),
    )
    assert.equal(steps[0], 0)
  })

  it('breaks lines only between words', () => {
    for (const title of ['CHAOS;HEAD NOAH', 'The House by the Sea', '그 비석에 새겨진 이름']) {
      const words = fitTitle(title).lines.flatMap((line) => line.split(' '))
      assert.deepEqual(words, title.split(' '))
    }
  })

  it('breaks lines between any Han characters and kana', () => {
    const title = 'ダンジョンに出会いを求めるのは間違っているだろうか'
    const { lines } = fitTitle(title)
    assert.ok(lines.length > 2)
    assert.equal(lines.join(''), title)
  })

  it('uses the smallest size for a word that fits at no size', () => {
    assert.equal(fitTitle('Endless'.repeat(10)).step, LAST)
  })

  it('accepts empty titles', () => {
    assert.deepEqual(fitTitle(' '), { step: 0, lines: [] })
  })
})
