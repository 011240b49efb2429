import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { InfoboxReader } from './infobox-reader.ts'
import { localizedTitles } from './localized-titles.ts'

const titlesOf = (title: string, aliases: string[]) =>
  localizedTitles(
    new InfoboxReader(
      `{{Infobox animanga/Manga\n|别名={\n${aliases.map((alias) => `[${alias}]`).join('\n')}\n}\n}}`,
    ),
    title,
  )

describe('titles of a Bangumi subject', () => {
  it('come from labeled aliases', () => {
    assert.deepEqual(
      titlesOf('題', ['英文名|The Title', '罗马字|Daimei', '韩文名|제목', 'Other title']),
      { english: 'The Title', romaji: 'Daimei', korean: '제목' },
    )
    assert.equal(titlesOf('題', ['en|Chobits']).english, 'Chobits')
    assert.equal(titlesOf('題', ['ローマ字|Daimei']).romaji, 'Daimei')
    assert.equal(titlesOf('題', ['ko|제목']).korean, '제목')
  })

  it('include an alias in Latin letters as romaji, unless the title is in them', () => {
    assert.equal(
      titlesOf('題', ['别的', 'FMA', 'Fullmetal Alchemist']).romaji,
      'Fullmetal Alchemist',
    )
    assert.equal(titlesOf('Title', ['Fullmetal Alchemist']).romaji, undefined)
    assert.equal(titlesOf('題', ['繁体中文名|Fullmetal Alchemist']).romaji, undefined)
  })
})
