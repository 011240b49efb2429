import type { Database } from '../../db/database.ts'
import { otherNames } from '../dump/tables/copy-text.ts'
import type { ImportReport, SourceRecord } from '../records/record.ts'
import { COUNTRIES, TYPE_OF_PRODUCER } from './codes/codes.ts'
import {
  type Extlink,
  extlinkLabels,
  outsideIdsOf,
  pagesOfPeople,
  toExtlinks,
  websiteOf,
} from './releases/extlinks.ts'
import type { EntryParts } from './known-entries.ts'
import { linkParts, linksOf } from '../dump/tables/lists.ts'
import { plainText } from './plain-text.ts'
import { type EntryRow, hashOf, streamEntries, timesOf } from './times.ts'

type Column = 'id' | 'type' | 'lang' | 'name' | 'latin' | 'alias' | 'description' | 'website'

export const PRODUCERS: EntryParts = {
  kind: 'producer',
  table: 'producers',
  lists: [linkParts('producers')],
}

/** Developers and publishers. Descriptions are English; the website was a column until December 2024. */
export async function* readProducers(
  report: ImportReport,
  trx: Database,
): AsyncGenerator<SourceRecord> {
  const links = linksOf(trx, 'producers')
  for await (const rows of streamEntries<Column>(trx, 'producers'))
    for (const row of rows) {
      const record = toProducer(row, toExtlinks(await links.take(row.n)), report)
      if (record) yield record
    }
}

function toProducer(
  row: EntryRow<Column>,
  own: Extlink[],
  report: ImportReport,
): SourceRecord | undefined {
  if (!row.id || !row.name) {
    report.note({ code: 'producer.no_name' }, row.id ?? '')
    return undefined
  }
  const description = plainText(row.description)
  const website = websiteOf(own) ?? row.website
  return {
    kind: 'producer',
    external_id: row.id,
    ...hashOf(row),
    same_as: outsideIdsOf(own),
    fields: {
      name: row.name,
      type: TYPE_OF_PRODUCER[row.type ?? ''],
      aliases: otherNames([row.name], [row.latin, row.alias]),
      intro: description,
      en_intro: description,
      country: COUNTRIES[row.lang ?? ''],
      website,
      labels: extlinkLabels(own.filter(({ value }) => value !== website)),
      external_links: pagesOfPeople(website ? [{ site: 'website', value: website }, ...own] : own),
      ...timesOf(row),
    },
  }
}
