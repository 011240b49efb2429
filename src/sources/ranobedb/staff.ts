import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { isTrue, otherNames } from '../dump/tables/copy-text.ts'
import type { ImportReport, SourceRecord } from '../records/record.ts'
import { streamRows } from '../dump/tables/row-streams.ts'
import { childRows, itemColumns, streamLists } from '../dump/tables/lists.ts'
import { webLinkLabels, webLinks, wikidataOf } from './web-links.ts'
import type { STAFF_COLUMNS } from './tables.ts'

type StaffRow = { n: number } & Record<(typeof STAFF_COLUMNS)[number], string | null>
type Alias = Record<'main_alias' | 'name' | 'romaji', string | null>

/** Reads authors, illustrators and other staff under their main names. */
export async function* readStaff(
  report: ImportReport,
  trx: Database,
): AsyncGenerator<SourceRecord> {
  const listsOf = streamLists<{ names: Alias }>(trx, 'staff', {
    names: {
      from: childRows('staff_alias', 'staff', 'staff_id'),
      columns: itemColumns('main_alias', 'name', 'romaji'),
    },
  })
  for await (const row of streamRows<StaffRow>(
    trx,
    'staff',
    sql`select * from dump_staff order by n`,
  )) {
    const { names } = await listsOf(row.n)
    const { name, romaji = null } =
      names.find(({ main_alias }) => isTrue(main_alias)) ?? names[0] ?? {}
    if (row.id === null || !name) {
      report.note({ code: 'person.no_name' }, `staff ${row.id}`)
      continue
    }
    yield {
      kind: 'person',
      external_id: row.id,
      same_as: wikidataOf(row.wikidata_id),
      fields: {
        name,
        aliases: otherNames(
          [name],
          [romaji, ...names.flatMap((alias) => [alias.name, alias.romaji])],
        ),
        intro: row.description,
        labels: webLinkLabels(row),
        external_links: webLinks(row),
      },
    }
  }
}
