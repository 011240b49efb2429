import { otherNames } from '../dump/tables/copy-text.ts'
import type { ImportReport, SourceRecord } from '../records/record.ts'
import { GENDER_OF_CODE } from './codes/codes.ts'
import {
  externalIdsOf,
  type Extlink,
  extlinkLabels,
  linkParts,
  personLinks,
} from './releases/extlinks.ts'
import { childRows, itemColumns, type ListsOf } from '../dump/tables/lists.ts'
import { plainText } from './plain-text.ts'
import { type EntryParts, type EntryRow, hashOf, timesOf } from './entries.ts'

type Items = {
  aliases: { aid: string | null; name: string | null; latin: string | null }
  links: Extlink
}

/** Staff and voice actors under their main names. Their descriptions are in English. */
export const PEOPLE: EntryParts<'staff', Items> = {
  kind: 'person',
  table: 'staff',
  lists: {
    aliases: {
      from: childRows('staff_alias', 'staff'),
      columns: itemColumns('aid', 'name', 'latin'),
    },
    links: linkParts('staff'),
  },
  toRecord: toPerson,
}

function toPerson(
  row: EntryRow<'staff'>,
  { aliases, links }: ListsOf<Items>,
  report: ImportReport,
): SourceRecord | undefined {
  const mainAlias = row.main ?? row.aid ?? ''
  const { name, latin = null } = aliases.find(({ aid }) => aid === mainAlias) ?? aliases[0] ?? {}
  if (!row.id || !name) {
    report.note({ code: 'person.no_name' }, row.id ?? '')
    return undefined
  }
  return {
    kind: 'person',
    external_id: row.id,
    ...hashOf(row),
    same_as: externalIdsOf(links),
    fields: {
      name,
      aliases: otherNames(
        [name],
        [latin, ...aliases.flatMap((alias) => [alias.name, alias.latin])],
      ),
      intro: plainText(row.description),
      gender: GENDER_OF_CODE[row.gender ?? ''],
      labels: extlinkLabels(links),
      external_links: personLinks(links),
      ...timesOf(row),
    },
  }
}
