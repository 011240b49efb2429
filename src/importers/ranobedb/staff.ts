import { groupRows, isTrue, otherNames, readTable } from '../copy-text.ts'
import type { DumpReading } from '../dump/reading.ts'
import type { SourceRecord } from '../record.ts'
import { readShown } from './dump.ts'
import { webLinkLabels, wikidataOf } from './web-links.ts'

/** Authors, illustrators and all others who work on books, under their main name. */
export async function* readStaff(dump: DumpReading): AsyncGenerator<SourceRecord> {
  const aliases = await groupRows(
    readTable(dump, 'staff_alias', ['staff_id', 'main_alias', 'name', 'romaji']),
    ({ staff_id }) => staff_id,
    (alias) => alias,
  )

  const columns = [
    'id',
    'description',
    'website',
    'bookwalker_id',
    'twitter_id',
    'bsky_id',
    'pixiv_id',
    'syosetu_id',
    'kakuyomu_id',
    'wikidata_id',
  ] as const
  for await (const row of readShown(dump, 'staff', columns)) {
    const names = aliases.get(row.id ?? '') ?? []
    const main = names.find(({ main_alias }) => isTrue(main_alias)) ?? names[0]
    if (row.id === null || !main?.name) {
      dump.report.note('a person without a name is left out', `staff ${row.id}`)
      continue
    }
    yield {
      kind: 'person',
      external_id: row.id,
      same_as: wikidataOf(row.wikidata_id),
      fields: {
        name: main.name,
        aliases: otherNames(
          [main.name],
          [main.romaji, ...names.flatMap(({ name, romaji }) => [name, romaji])],
        ),
        intro: row.description,
        labels: webLinkLabels(row),
      },
    }
  }
}
