import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { isTrue, otherNames } from '../dump/tables/copy-text.ts'
import type { ImportReport, SourceRecord } from '../records/record.ts'
import { streamRows } from '../dump/tables/row-streams.ts'
import { childRows, listsBy } from '../dump/tables/lists.ts'
import { webLinkLabels, webLinks, wikidataOf } from './web-links.ts'

type StaffRow = { n: number } & Record<
  | 'id'
  | 'description'
  | 'website'
  | 'bookwalker_id'
  | 'twitter_id'
  | 'bsky_id'
  | 'pixiv_id'
  | 'syosetu_id'
  | 'kakuyomu_id'
  | 'wikidata_id',
  string | null
>
type Alias = [main: string | null, name: string | null, romaji: string | null]

/** Authors, illustrators and all others who work on books, under their main name. */
export async function* readStaff(
  report: ImportReport,
  trx: Database,
): AsyncGenerator<SourceRecord> {
  const aliases = listsBy<Alias>(trx, 'staff_aliases', {
    from: childRows('staff_alias', 'staff', 'staff_id'),
    columns: ['item.main_alias', 'item.name', 'item.romaji'],
  })
  for await (const rows of streamRows<StaffRow>(
    trx,
    'staff',
    sql`select * from dump_staff order by n`,
  ))
    for (const row of rows) {
      const names = await aliases.take(row.n)
      const [, name, latin] = names.find(([main]) => isTrue(main)) ?? names[0] ?? []
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
            [latin, ...names.flatMap(([, alias, romaji]) => [alias, romaji])],
          ),
          intro: row.description,
          labels: webLinkLabels(row),
          external_links: webLinks(row),
        },
      }
    }
}
