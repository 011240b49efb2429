import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LANGUAGES } from '../../i18n/languages.ts'
import { conceptOf, isHiddenTag, synonymsOf, TAG_CONCEPTS, TAG_GROUPS } from './tag-concepts.ts'

describe('the table of tags', () => {
  it('names every concept in every language, in a known group', () => {
    for (const { group, names } of TAG_CONCEPTS) {
      assert.ok(TAG_GROUPS.includes(group), group)
      assert.deepEqual(Object.keys(names).toSorted(), LANGUAGES.toSorted(), names.en)
      assert.ok(Object.values(names).every(Boolean), names.en)
    }
  })

  it('gives each spelling to one concept, and hides none of them', () => {
    for (const concept of TAG_CONCEPTS)
      for (const name of [...Object.values(concept.names), ...concept.synonyms]) {
        assert.equal(conceptOf(name), concept, name)
        assert.ok(!isHiddenTag(name), name)
      }
  })

  it('finds the spellings of all sources by any of them, regardless of case and width', () => {
    for (const tag of ['爱情', 'ROMANCE', '恋愛'])
      assert.ok(
        ['Romance', 'romance', '爱情', '恋愛'].every((name) => synonymsOf(tag).includes(name)),
      )
    assert.deepEqual(synonymsOf('key'), ['key'])
    assert.ok(isHiddenTag('ＰＣ') && isHiddenTag('Galgame'))
  })
})
