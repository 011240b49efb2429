import { otherNames, readTable } from '../copy-text.ts'
import type { DumpReading } from '../dump/reading.ts'
import type { SourceRecord } from '../record.ts'
import { readShown } from './dump.ts'
import { webLinkLabels, wikidataOf } from './web-links.ts'

/** Publishers, and the imprints (文庫) that appear in releases as nothing but imprints, which are labels. */
export async function* readPublishers(dump: DumpReading): AsyncGenerator<SourceRecord> {
  const uses = new Map<string, Set<string>>()
  for await (const row of readTable(dump, 'release_publisher', ['publisher_id', 'publisher_type'])) {
    uses.getOrInsert(row.publisher_id ?? '', new Set()).add(row.publisher_type ?? '')
  }

  const columns = [
    'id',
    'name',
    'romaji',
    'description',
    'aliases',
    'lang',
    'website',
    'bookwalker',
    'twitter_id',
    'wikidata_id',
  ] as const
  for await (const row of readShown(dump, 'publisher', columns)) {
    if (row.id === null) continue
    const used = uses.get(row.id)
    yield {
      kind: 'producer',
      external_id: row.id,
      same_as: wikidataOf(row.wikidata_id),
      fields: {
        name: row.name,
        type: used?.has('imprint') && !used.has('publisher') ? 'LABEL' : 'PUBLISHER',
        aliases: otherNames([row.name], [row.romaji, row.aliases]),
        intro: row.description,
        en_intro: row.description,
        // A language tells a country only where one country speaks it; `en` does not.
        country: row.lang === 'ja' ? 'JP' : row.lang === 'ko' ? 'KR' : null,
        website: row.website,
        labels: webLinkLabels({ ...row, website: null }),
      },
    }
  }
}
