import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LANGUAGES } from '../../i18n/languages.ts'
import { conceptOf, isHiddenTag, synonymsOf, TAG_CONCEPTS, TAG_GROUPS } from './tag-concepts.ts'

describe('tag concepts', () => {
  it('have a name in every language, and a known group', () => {
    for (const { group, names } of TAG_CONCEPTS) {
      assert.ok(TAG_GROUPS.includes(group), group)
      assert.deepEqual(Object.keys(names).toSorted(), LANGUAGES.toSorted(), names.en)
      assert.ok(Object.values(names).every(Boolean), names.en)
    }
  })

  it('share no spelling, and contain no hidden tag', () => {
    for (const concept of TAG_CONCEPTS)
      for (const name of [...Object.values(concept.names), ...concept.synonyms]) {
        assert.equal(conceptOf(name), concept, name)
        assert.ok(!isHiddenTag(name), name)
      }
  })

  it('are found by any spelling, regardless of case and width', () => {
    for (const tag of ['爱情', 'ROMANCE', '恋愛'])
      assert.ok(
        ['Romance', 'romance', '爱情', '恋愛'].every((name) => synonymsOf(tag).includes(name)),
      )
    assert.deepEqual(synonymsOf('key'), ['key'])
    assert.ok(isHiddenTag('ＰＣ') && isHiddenTag('Galgame'))
  })
})
