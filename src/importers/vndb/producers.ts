import { otherNames, readTable } from '../copy-text.ts'
import type { DumpReading } from '../dump/reading.ts'
import type { SourceRecord } from '../record.ts'
import { COUNTRIES, TYPE_OF_PRODUCER } from './codes.ts'
import type { Shared } from './dump.ts'
import { extlinkLabels, outsideIdsOf, readExtlinksOf, websiteOf } from './extlinks.ts'
import { plainText } from './plain-text.ts'

/** Developers and publishers. Descriptions are English; the website was a column until December 2024. */
export async function* readProducers(
  dump: DumpReading,
  { extlinks, times }: Shared,
): AsyncGenerator<SourceRecord> {
  const links = await readExtlinksOf(dump, 'producers_extlinks', extlinks)

  const columns = ['id', 'type', 'lang', 'name', 'latin', 'alias', 'description'] as const
  for await (const row of readTable(dump, 'producers', columns, ['website'])) {
    if (!row.id || !row.name) {
      dump.report.note('a producer without a name is left out', row.id ?? '')
      continue
    }
    const own = links.get(row.id)
    const description = plainText(row.description)
    const website = websiteOf(own) ?? row.website
    yield {
      kind: 'producer',
      external_id: row.id,
      same_as: outsideIdsOf(own),
      fields: {
        name: row.name,
        type: TYPE_OF_PRODUCER[row.type ?? ''],
        aliases: otherNames([row.name], [row.latin, row.alias]),
        intro: description,
        en_intro: description,
        country: COUNTRIES[row.lang ?? ''],
        website,
        labels: extlinkLabels(own?.filter(({ value }) => value !== website)),
        ...times.get(row.id),
      },
    }
  }
}
