import { otherNames } from '../dump/tables/copy-text.ts'
import type { ImportReport, SourceRecord } from '../records/record.ts'
import { COUNTRIES, TYPE_OF_PRODUCER } from './codes/codes.ts'
import {
  type Extlink,
  extlinkLabels,
  linkParts,
  externalIdsOf,
  personLinks,
  websiteOf,
} from './releases/extlinks.ts'
import { plainText } from './plain-text.ts'
import { type EntryParts, type EntryRow, hashOf, timesOf } from './entries.ts'

/** Developers and publishers. Their descriptions are in English. */
export const PRODUCERS: EntryParts<'producers', { links: Extlink }> = {
  kind: 'producer',
  table: 'producers',
  lists: { links: linkParts('producers') },
  toRecord: toProducer,
}

function toProducer(
  row: EntryRow<'producers'>,
  { links }: { links: Extlink[] },
  report: ImportReport,
): SourceRecord | undefined {
  if (!row.id || !row.name) {
    report.note({ code: 'producer.no_name' }, row.id ?? '')
    return undefined
  }
  const description = plainText(row.description)
  const website = websiteOf(links) ?? row.website
  return {
    kind: 'producer',
    external_id: row.id,
    ...hashOf(row),
    same_as: externalIdsOf(links),
    fields: {
      name: row.name,
      type: TYPE_OF_PRODUCER[row.type ?? ''],
      aliases: otherNames([row.name], [row.latin, row.alias]),
      intro: description,
      en_intro: description,
      country: COUNTRIES[row.lang ?? ''],
      website,
      labels: extlinkLabels(links.filter(({ value }) => value !== website)),
      external_links: personLinks(
        website ? [{ site: 'website', value: website }, ...links] : links,
      ),
      ...timesOf(row),
    },
  }
}
