import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { otherNames } from '../dump/tables/copy-text.ts'
import type { SourceRecord } from '../records/record.ts'
import { streamRows } from '../dump/tables/row-streams.ts'
import { webLinkLabels, webLinks, wikidataOf } from './web-links.ts'
import type { PUBLISHER_COLUMNS } from './tables.ts'

type PublisherRow = { is_label: boolean } & Record<
  (typeof PUBLISHER_COLUMNS)[number],
  string | null
>

/** Reads publishers. A publisher that only ever appears as an imprint (文庫) becomes a label. */
export async function* readPublishers(trx: Database): AsyncGenerator<SourceRecord> {
  const publishers = streamRows<PublisherRow>(
    trx,
    'publishers',
    sql`
      select publisher.*, coalesce(used.is_label, false) as is_label
      from dump_publisher publisher
      left join (
        select publisher_id, bool_or(publisher_type = 'imprint') and not bool_or(publisher_type = 'publisher') as is_label
        from dump_release_publisher
        group by publisher_id
      ) used on used.publisher_id = publisher.id
      order by publisher.n`,
  )
  for await (const row of publishers) {
    if (row.id === null) continue
    yield {
      kind: 'producer',
      external_id: row.id,
      same_as: wikidataOf(row.wikidata_id),
      fields: {
        name: row.name,
        type: row.is_label ? 'LABEL' : 'PUBLISHER',
        aliases: otherNames([row.name], [row.romaji, row.aliases]),
        intro: row.description,
        en_intro: row.description,
        // A language implies a country only if the language is spoken in a single one.
        country: row.lang === 'ja' ? 'JP' : row.lang === 'ko' ? 'KR' : null,
        website: row.website,
        labels: webLinkLabels({ ...row, website: null }),
        external_links: webLinks(row),
      },
    }
  }
}
