import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as measures from './measures.ts'
import { unreadable } from '#test/bangumi-values.ts'

function size(bust: number, waist: number, hips: number, cup = ''): measures.BodyMeasures {
  return { bust, waist, hips, cup }
}

describe('the parsers of personal details in infoboxes', () => {
  it('parse all real heights, weights, body measurements and blood types', () => {
    assert.deepEqual(unreadable('身高', measures.parseHeight), [])
    assert.deepEqual(unreadable('体重', measures.parseWeight), [])
    assert.deepEqual(unreadable('BWH', measures.parseBodyMeasures), [])
    assert.deepEqual(unreadable('血型', measures.parseBloodType), [])
    assert.deepEqual(unreadable('性别', measures.parseGender), ['未知'])
    assert.deepEqual(unreadable('年龄', measures.parseAge), [])
  })

  it('use the first of two heights, and accept approximate heights and meters', () => {
    const heights = ['178cm→181cm', '約180cm', '160 cm', '1.6m', '0cm', '?'].map(
      measures.parseHeight,
    )
    assert.deepEqual(heights, [178, 180, 160, 160, undefined, undefined])
  })

  it('convert tonnes to kilograms', () => {
    assert.deepEqual(['46 kg', '43.5t', '2トン', '秘密'].map(measures.parseWeight), [
      46,
      43500,
      2000,
      undefined,
    ])
  })

  it('accept body measurements with any separators', () => {
    assert.deepEqual(measures.parseBodyMeasures('80/55/81'), size(80, 55, 81))
    assert.deepEqual(measures.parseBodyMeasures('B200 W300 H400'), size(200, 300, 400))
    assert.deepEqual(measures.parseBodyMeasures('70-52-68'), size(70, 52, 68))
    assert.deepEqual(measures.parseBodyMeasures('B88.5(E)/W58/H85'), size(88.5, 58, 85, 'E'))
    assert.equal(measures.parseBodyMeasures('80/55'), undefined)
  })

  it('parse every real birthday that includes a day', () => {
    const years = [
      '1959年',
      '1961年',
      '1963年',
      '1969年',
      '1974年',
      '1993-05',
      '2002',
      '1979年',
      '1976年',
      '1977年',
    ]
    assert.deepEqual(unreadable('生日', measures.parseBirthday), [
      ...years,
      '1998年8月',
      '1972年',
      '1997年6月',
    ])
  })

  for (const [text, month, day] of [
    ['6月17日', 6, 17],
    ['皇历2000年7月10日', 7, 10],
    ['22.10.1954', 10, 22],
    ['1960年８月10日', 8, 10],
    ['1960年-05-06', 5, 6],
    ['1962-05-05', 5, 5],
    ['2月29日', 2, 29],
    ['10.4', 10, 4],
  ] as const) {
    it(`parse the birthday ${text}`, () =>
      assert.deepEqual(measures.parseBirthday(text), { month, day }))
  }

  it('reject a birthday that does not exist in the calendar', () => {
    assert.deepEqual(['13月1日', '2月30日', '0月5日'].map(measures.parseBirthday), [
      undefined,
      undefined,
      undefined,
    ])
  })

  it('parse blood types and genders in all of their spellings', () => {
    assert.deepEqual(['O型', 'AB', 'ＡＢ型', 'RH-AB型', 'X'].map(measures.parseBloodType), [
      'O',
      'AB',
      'AB',
      'AB',
      undefined,
    ])
    assert.deepEqual(['女', '雌', '男', '无性别', '男→女'].map(measures.parseGender), [
      'female',
      'female',
      'male',
      'other',
      undefined,
    ])
  })
})
