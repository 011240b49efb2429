import { entriesByExternalIdSql } from '../catalog/sql-fragments.ts'
import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Reads } from '../db/replicas/reads.ts'
import type { HitKey } from './hit-summary-queries.ts'
import { SECTIONS } from './index/sections.ts'
import { END_MARK, ISBN_MARK, isbnGram } from './index/index-row.ts'
import { gramKey } from './index/gram-keys.ts'
import type { ExternalId } from './text/external-ids.ts'

const BY_SOURCE = statement('search.by_source').returning<HitKey>(`
  select distinct
    case named.kind
      when 'light_novel_volume' then 'light_novel'
      when 'manga_volume' then 'manga'
      else named.kind
    end as kind,
    coalesce(novel_volume.light_novel_id, manga_volume.manga_id, named.id) as id
  from (
    select requested.kind, found.entry_id as id
    from unnest($3::text[]) requested (kind)
    cross join lateral (${entriesByExternalIdSql('$1::text', 'requested.kind', '$2::text')}) found
    union all
    select 'galgame', galgames.id
    from galgames
    where $1::text = 'steam'
      and galgames.steam_apps
        @> jsonb_build_array(jsonb_build_object('app_id', case when $1::text = 'steam' then $2::text::bigint end))
  ) named
  left join light_novel_volumes novel_volume
    on named.kind = 'light_novel_volume' and novel_volume.id = named.id
  left join manga_volumes manga_volume on named.kind = 'manga_volume' and manga_volume.id = named.id
  order by 1, 2`)

const SECTION_OF = statement('search.section_of').returning<Row>(
  'select section, id from search_entries where section = any($1::smallint[]) and id = any($2::bigint[])',
)

const BY_ISBN = statement('search.by_isbn').returning<Row>(`
  select section, id from search_entries
  where grams && $1::integer[] and section = any($2::smallint[]) and names like $3
  order by id`)

/** Returns the entries in the sections with the given external id. The id of a volume finds its work. */
export async function findByExternalId(
  db: Reads,
  id: ExternalId | undefined,
  sections: number[],
): Promise<HitKey[]> {
  if (!id) return []
  const rows =
    'isbn' in id ? await findByIsbn(db, id.isbn, sections) : await findBySource(db, id, sections)
  return rows.flatMap(({ section, id: entryId }) => {
    const kind = SECTIONS[section]?.kind
    return kind ? [{ kind, id: entryId }] : []
  })
}

type Row = { section: number; id: number }

const findByIsbn = (db: Reads, isbn: string, sections: number[]) =>
  queryRows(db, BY_ISBN, [
    sections.map((section) => gramKey(section, isbnGram(isbn))),
    sections,
    `%${ISBN_MARK}${isbn}${END_MARK}%`,
  ])

async function findBySource(
  db: Reads,
  { source, external_id, kinds }: Extract<ExternalId, { source: string }>,
  sections: number[],
): Promise<Row[]> {
  const entries = await queryRows(db, BY_SOURCE, [source, external_id, kinds])
  const rows = await Promise.all(
    entries.map(({ kind, id }) =>
      queryRows(db, SECTION_OF, [
        SECTIONS.filter(({ number, kind: of }) => of === kind && sections.includes(number)).map(
          ({ number }) => number,
        ),
        [id],
      ]),
    ),
  )
  return rows.flat()
}
