import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import {
  shownCoverSql,
  shownDaySql,
  developerNameSql,
  producerTypeSql,
  shownTitleSql,
} from '../catalog/sql-fragments.ts'
import { ENTRY_KINDS, KINDS, WORK_KINDS, type EntryKind } from '../catalog/kinds.ts'
import type { StoredProducerType } from '../catalog/enums.ts'

const yearOf = (kind: EntryKind) =>
  `lpad(extract(year from ${shownDaySql(kind, 'entry')})::text, 4, '0')`

const statusAndYear = (kind: 'light_novel' | 'manga') => `
    case entry.${KINDS[kind].shown.status}
      when 'SERIALIZING' then '连载中'
      when 'FINISHED' then '已完结'
      when 'PAUSED' then '休刊中'
      when 'ABANDONED' then '已中止'
    end || coalesce(' · ' || ${yearOf(kind)}, '')`

/** SQL: rows `(id, kind, title)` of the works of the character `entry`. */
const WORKS_OF_CHARACTER = WORK_KINDS.map(
  (kind) => `
  select work.id, '${kind}' as kind, ${shownTitleSql(kind, 'work')} as title
  from ${kind}_characters part join ${KINDS[kind].table} work on work.id = part.${kind}_id
  where part.character_id = entry.id`,
).join(`
  union all`)

/** SQL: the line below the title of a hit, from its row `entry`. */
const SUBTITLES: Record<EntryKind, string> = {
  galgame: yearOf('galgame'),
  light_novel: statusAndYear('light_novel'),
  manga: statusAndYear('manga'),
  person: 'null',
  producer: producerTypeSql('entry'),
  // The best known of those that the caller may see.
  character: `(
      select part.title
      from (${WORKS_OF_CHARACTER}) part
      join listings listing on listing.kind = part.kind and listing.id = part.id
      where $2 or not listing.nsfw
      order by listing.readers desc, part.id
      limit 1
    )`,
}

const ofKind = (kind: EntryKind) => `
    when '${kind}' then (
      select json_build_object(
        'type', '${kind}',
        'id', entry.id,
        'title', ${shownTitleSql(kind, 'entry')},
        'subtitle', ${SUBTITLES[kind]},
        'developer', ${kind === 'galgame' ? developerNameSql('entry') : 'null'},
        'cover', ${shownCoverSql(kind, 'entry')}
      )
      from ${KINDS[kind].table} entry where entry.id = asked.id
    )`

/**
 * The number of rows that a recordset is taken to have does not depend on what is asked, so that one plan is kept for all. Without
 * the `offset` what is shown would be made twice, once to see that it is there.
 */
const SHOW = statement('search.show').returning<Omit<ShownHit, keyof HitKey> & { place: number }>(`
  select place, shown::text as hit, producer_type
  from (
    select
      place,
      case asked.kind when 'producer' then (select type from producers where id = asked.id) end as producer_type,
      case asked.kind ${ENTRY_KINDS.map(ofKind).join('')} end as shown
    from rows from (jsonb_to_recordset($1::jsonb) as (kind text, id bigint)) with ordinality as asked (kind, id, place)
    offset 0
  ) hit
  where shown is not null
  order by place`)

/** An entry of a result. */
export type HitKey = { kind: EntryKind; id: number }

/** How a result shows an entry: JSON in wire shape. */
export type ShownHit = HitKey & {
  hit: string
  /** The source's type of a producer, for pages; null for other kinds. The API returns a closed set (decision 0002). */
  producer_type: StoredProducerType | null
}

/** Entries as results show them, in their order; those that have gone meanwhile are left out. */
export async function showHits(
  db: Database,
  hits: HitKey[],
  seesNsfw: boolean,
): Promise<ShownHit[]> {
  if (hits.length === 0) return []
  const rows = await queryRows(db, SHOW, [JSON.stringify(hits), seesNsfw])
  return rows.flatMap(({ place, ...shown }) => {
    const key = hits[place - 1]
    return key ? [{ ...key, ...shown }] : []
  })
}
