import assert from 'node:assert/strict'
import { it } from 'node:test'
import { findInDump } from '#test/dumps.ts'
import { readTables } from '#test/vndb-dump.ts'

it('later publishers of a VNDB galgame have a note with their platforms', async () => {
  const { records } = await readTables({
    vn: ['id|c_image|olang|devstatus|alias|description', 'v1|\\N|ja|0||'],
    vn_titles: ['id|lang|official|title|latin', 'v1|ja|t|マブラヴ オルタネイティヴ|\\N'],
    releases: [
      'id|olang|released|minage|has_ero|patch|official|engine',
      'r1|ja|20060224|18|t|f|t|\\N',
      'r2|ja|20111027|17|f|f|t|\\N',
      'r3|ja|20121025|17|f|f|t|\\N',
      'r4|ja|20170919|17|f|f|t|\\N',
    ],
    releases_vn: ['id|vid|rtype', ...['r1', 'r2', 'r3', 'r4'].map((id) => `${id}|v1|complete`)],
    releases_platforms: ['id|platform', 'r1|win', 'r2|xb3', 'r3|ps3', 'r4|win', 'r4|lin'],
    releases_producers: [
      'id|pid|developer|publisher',
      'r1|p1|t|t',
      'r2|p2|f|t',
      'r3|p2|f|t',
      'r4|p3|f|t',
      'r4|p1|f|t',
    ],
    releases_extlinks: ['id|link', 'r4|1'],
    extlinks: ['id|site|value', '1|steam|802890'],
  })
  assert.deepEqual(findInDump(records, 'galgame', 'v1').links?.producers, [
    { ref: 'p1', role: 'DEVELOPER' },
    { ref: 'p1', role: 'PUBLISHER' },
    { ref: 'p2', role: 'PUBLISHER', note: 'Xbox 360、PS3' },
    { ref: 'p3', role: 'PUBLISHER', note: 'Steam、Linux' },
  ])
})
