import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findInDump } from '#test/dumps.ts'
import { readTables } from '#test/vndb-dump.ts'

const TAGS = [
  'id|cat|defaultspoil|searchable|applicable|name|alias|description',
  'g1|cont|0|t|t|Drama||',
  'g2|tech|0|t|t|ADV||',
  'g3|ero|0|t|t|Sexual Content||',
  'g4|cont|2|t|t|Only a Dream||',
  'g5|cont|0|t|f|Theme||',
  'g6|cont|0|f|t|Meta||',
]
const VOTES = 'date|tag|vid|uid|vote|spoiler|ignore|lie|notes'

/**
 * Returns the tags of galgame v1, given votes of the form: tag, vote, spoiler, ignore, lie. The galgame may be adult
 * content.
 */
async function tagsAfter(
  votes: [tag: string, vote: string, spoiler?: string, ignore?: string, lie?: string][],
  minage = 0,
) {
  const { records, remarks } = await readTables({
    vn: ['id|c_image|olang|devstatus|alias|description', 'v1|\\N|ja|0||'],
    vn_titles: ['id|lang|official|title|latin', 'v1|ja|t|題名|Daimei'],
    releases: [
      'id|olang|released|minage|has_ero|patch|official|engine',
      `r1|ja|20040428|${minage}|f|f|t|\\N`,
    ],
    releases_vn: ['id|vid|rtype', 'r1|v1|complete'],
    tags: TAGS,
    tags_vn: [
      VOTES,
      ...votes.map(([tag, vote, spoiler = '\\N', ignore = 'f', lie = '\\N'], user) =>
        [
          '2020-01-01',
          tag,
          'v1',
          user % 2 ? `u${user}` : '\\N',
          vote,
          spoiler,
          ignore,
          lie,
          '',
        ].join('|'),
      ),
    ],
  })
  const { fields } = findInDump(records, 'galgame', 'v1')
  return {
    tags: fields.tags?.map(({ name, likes }) => `${name} ${likes}`),
    spoilers: fields.spoiler_tags?.map(({ name, likes, level }) => `${name} ${likes} ${level}`),
    remarks,
  }
}

describe('tags of a VNDB galgame', () => {
  it('are those that users voted for, with their number of votes, most votes first', async () => {
    const { tags, remarks } = await tagsAfter([
      ['g1', '2'],
      ['g2', '3'],
      ['g2', '1'],
      ['g2', '-1'],
      ['g2', '3'],
    ])
    assert.deepEqual(tags, ['ADV 3', 'Drama 1'])
    assert.ok(!remarks.some((remark) => remark.includes('tags')))
  })

  it('exclude tags that users voted down, and votes that moderators ignored', async () => {
    const { tags } = await tagsAfter([
      ['g1', '2'],
      ['g1', '-1'],
      ['g2', '3', '\\N', 't'],
    ])
    assert.deepEqual(tags, [])
  })

  it('have a spoiler level, as determined by user votes or else by the default of the tag', async () => {
    const spoilt = await tagsAfter([
      ['g1', '3', '1'],
      ['g1', '3', '0'],
      ['g4', '3'],
    ])
    assert.deepEqual(spoilt.tags, [])
    assert.deepEqual(spoilt.spoilers, ['Drama 2 1', 'Only a Dream 1 2'])
    const major = await tagsAfter([
      ['g1', '3', '2'],
      ['g1', '3', '1'],
    ])
    assert.deepEqual(major.spoilers, ['Drama 2 2'])
    const known = await tagsAfter([
      ['g1', '3', '1'],
      ['g1', '3', '0'],
      ['g1', '3', '0'],
      ['g4', '3', '0'],
    ])
    assert.deepEqual(known.tags, ['Drama 3', 'Only a Dream 1'])
    assert.deepEqual(known.spoilers, [])
  })

  it('exclude tags that users mark as lies', async () => {
    const { tags } = await tagsAfter([
      ['g1', '3', '0', 'f', 't'],
      ['g1', '3', '0', 'f', 'f'],
      ['g2', '3', '0', 'f', 'f'],
    ])
    assert.deepEqual(tags, ['ADV 1'])
  })

  it('exclude tags that only group other tags, and tags missing from the dump', async () => {
    const { tags, spoilers } = await tagsAfter([
      ['g5', '3', '2'],
      ['g6', '3'],
      ['g99', '3'],
    ])
    assert.deepEqual([tags, spoilers], [[], []])
  })

  it('include sexual tags only for adult galgames', async () => {
    assert.deepEqual((await tagsAfter([['g3', '3']])).tags, [])
    assert.deepEqual((await tagsAfter([['g3', '3', '2']])).spoilers, [])
    assert.deepEqual((await tagsAfter([['g3', '3']], 18)).tags, ['Sexual Content 1'])
  })

  it('ignore votes that are not numbers', async () => {
    assert.deepEqual(
      (
        await tagsAfter([
          ['g1', 'x'],
          ['g1', '2', 'y'],
          ['g1', '2'],
        ])
      ).tags,
      ['Drama 1'],
    )
  })
})
