import type { Database } from '../../db/database.ts'
import { otherNames } from '../dump/tables/copy-text.ts'
import type { ImportReport, SourceRecord } from '../records/record.ts'
import { GENDER_OF_CODE } from './codes/codes.ts'
import {
  outsideIdsOf,
  type Extlink,
  extlinkLabels,
  pagesOfPeople,
  toExtlinks,
} from './releases/extlinks.ts'
import type { EntryParts } from './known-entries.ts'
import { childRows, linkParts, linksOf, type ListParts, listsBy } from '../dump/tables/lists.ts'
import { plainText } from './plain-text.ts'
import { type EntryRow, hashOf, streamEntries, timesOf } from './times.ts'

type Column = 'id' | 'gender' | 'description' | 'main' | 'aid'
type Alias = [aid: string | null, name: string | null, latin: string | null]

const ALIASES: ListParts = {
  from: childRows('staff_alias', 'staff'),
  columns: ['item.aid', 'item.name', 'item.latin'],
}

export const PEOPLE: EntryParts = {
  kind: 'person',
  table: 'staff',
  lists: [ALIASES, linkParts('staff')],
}

/** Everyone who made a novel or gave a voice, under their main name; descriptions are English. */
export async function* readPeople(
  report: ImportReport,
  trx: Database,
): AsyncGenerator<SourceRecord> {
  const links = linksOf(trx, 'staff')
  const aliases = listsBy<Alias>(trx, 'staff_alias', ALIASES)
  for await (const rows of streamEntries<Column>(trx, 'staff'))
    for (const row of rows) {
      const record = toPerson(
        row,
        await aliases.take(row.n),
        toExtlinks(await links.take(row.n)),
        report,
      )
      if (record) yield record
    }
}

function toPerson(
  row: EntryRow<Column>,
  aliases: Alias[],
  links: Extlink[],
  report: ImportReport,
): SourceRecord | undefined {
  const mainAlias = row.main ?? row.aid ?? ''
  const [, name, latin] = aliases.find(([aid]) => aid === mainAlias) ?? aliases[0] ?? []
  if (!row.id || !name) {
    report.note({ code: 'person.no_name' }, row.id ?? '')
    return undefined
  }
  return {
    kind: 'person',
    external_id: row.id,
    ...hashOf(row),
    same_as: outsideIdsOf(links),
    fields: {
      name,
      aliases: otherNames(
        [name],
        [latin, ...aliases.flatMap(([, alias, romanised]) => [alias, romanised])],
      ),
      intro: plainText(row.description),
      gender: GENDER_OF_CODE[row.gender ?? ''],
      labels: extlinkLabels(links),
      external_links: pagesOfPeople(links),
      ...timesOf(row),
    },
  }
}
