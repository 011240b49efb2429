import { queryRows } from '../db/query.ts'
import type { Database } from '../db/database.ts'
import type { HitKey } from './shown-queries.ts'
import { SECTIONS } from './index/sections.ts'
import { END, ISBN, isbnGram } from './index/index-row.ts'
import { gramKey } from './index/gram-keys.ts'
import type { OutsideId } from './text/outside-ids.ts'

const BY_SOURCE = `
  select distinct
    case record.kind
      when 'light_novel_volume' then 'light_novel'
      when 'manga_volume' then 'manga'
      else record.kind
    end as kind,
    coalesce(novel_volume.light_novel_id, manga_volume.manga_id, record.entry_id) as id
  from source_records record
  left join light_novel_volumes novel_volume
    on record.kind = 'light_novel_volume' and novel_volume.id = record.entry_id
  left join manga_volumes manga_volume on record.kind = 'manga_volume' and manga_volume.id = record.entry_id
  where record.source = $1 and record.external_id = $2 and record.kind = any($3::text[])
  order by 1, 2`

const SECTION_OF =
  'select section, id from search_entries where section = any($1::smallint[]) and id = any($2::bigint[])'

const BY_ISBN = `
  select section, id from search_entries
  where grams && $1::integer[] and section = any($2::smallint[]) and names like $3
  order by id`

/** The entries of some sections that are named by ids elsewhere; a volume is found as its work. */
export async function findOutside(db: Database, outside: OutsideId[], sections: number[]): Promise<HitKey[]> {
  const found: HitKey[] = []
  for (const id of outside) {
    const rows = 'isbn' in id ? await findByIsbn(db, id.isbn, sections) : await findBySource(db, id, sections)
    found.push(
      ...rows.flatMap(({ section, id: entryId }) => {
        const kind = SECTIONS[section]?.kind
        return kind ? [{ kind, id: entryId }] : []
      }),
    )
  }
  return found
}

type Row = { section: number; id: number }

const findByIsbn = (db: Database, isbn: string, sections: number[]) =>
  queryRows<Row>(db, BY_ISBN, [
    sections.map((section) => gramKey(section, isbnGram(isbn))),
    sections,
    `%${ISBN}${isbn}${END}%`,
  ])

async function findBySource(
  db: Database,
  { source, external_id, kinds }: Extract<OutsideId, { source: string }>,
  sections: number[],
): Promise<Row[]> {
  const entries = await queryRows<HitKey>(db, BY_SOURCE, [source, external_id, kinds])
  const rows = await Promise.all(
    entries.map(({ kind, id }) =>
      queryRows<Row>(db, SECTION_OF, [
        SECTIONS.filter(({ number, kind: of }) => of === kind && sections.includes(number)).map(
          ({ number }) => number,
        ),
        [id],
      ]),
    ),
  )
  return rows.flat()
}
