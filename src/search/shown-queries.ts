import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import { coverOfImage, coverOfWork, developerName, producerType } from '../catalog/sql-fragments.ts'
import { ENTRY_KINDS, KINDS, type EntryKind } from '../catalog/kinds.ts'
import type { StoredProducerType } from '../catalog/enums.ts'

/** Of a hit, from `entry`, its row: SQL of what is shown beside its type and id. */
type Shown = { title: string; subtitle: string; developer?: string; cover: string }

const titleOf = (translated: string, original: string) => `coalesce(nullif(${translated}, ''), ${original})`

const yearOf = (date: string) => `lpad(extract(year from ${date})::text, 4, '0')`

const shownBook = (status: string): Shown => ({
  title: titleOf('entry.name_cn', 'entry.name'),
  subtitle: `
    case entry.${status}
      when 'SERIALIZING' then '连载中'
      when 'FINISHED' then '已完结'
      when 'PAUSED' then '休刊中'
      when 'ABANDONED' then '已中止'
    end || coalesce(' · ' || ${yearOf('entry.publication_date')}, '')`,
  cover: coverOfWork('entry'),
})

/** SQL: rows `(id, kind, title)` of the works of the character `entry`. */
const WORKS_OF_CHARACTER = `
  select work.id, 'galgame' as kind, ${titleOf('work.trans_title', 'work.origin_title')} as title
  from galgame_characters part join galgames work on work.id = part.galgame_id
  where part.character_id = entry.id
  union all
  select work.id, 'light_novel', ${titleOf('work.name_cn', 'work.name')}
  from light_novel_characters part join light_novels work on work.id = part.light_novel_id
  where part.character_id = entry.id
  union all
  select work.id, 'manga', ${titleOf('work.name_cn', 'work.name')}
  from manga_characters part join mangas work on work.id = part.manga_id
  where part.character_id = entry.id`

const SHOWN: Record<EntryKind, Shown> = {
  galgame: {
    title: titleOf('entry.trans_title', 'entry.origin_title'),
    subtitle: yearOf('entry.release_date'),
    developer: developerName('entry'),
    cover: coverOfWork('entry'),
  },
  light_novel: shownBook('novel_status'),
  manga: shownBook('serial_status'),
  person: {
    title: titleOf('entry.trans_name', 'entry.name'),
    subtitle: 'null',
    cover: coverOfImage('entry.image'),
  },
  producer: {
    title: titleOf('entry.trans_name', 'entry.name'),
    subtitle: producerType('entry'),
    cover: coverOfImage('entry.logo'),
  },
  character: {
    title: titleOf('entry.trans_name', 'entry.name'),
    // The best known of those that the caller may see.
    subtitle: `(
      select part.title
      from (${WORKS_OF_CHARACTER}) part
      join listings listing on listing.kind = part.kind and listing.id = part.id
      where $2 or not listing.nsfw
      order by listing.readers desc, part.id
      limit 1
    )`,
    cover: coverOfImage('entry.image'),
  },
}

const ofKind = (kind: EntryKind) => {
  const { title, subtitle, developer = 'null', cover } = SHOWN[kind]
  return `
    when '${kind}' then (
      select json_build_object(
        'type', '${kind}',
        'id', entry.id,
        'title', ${title},
        'subtitle', ${subtitle},
        'developer', ${developer},
        'cover', ${cover}
      )
      from ${KINDS[kind].table} entry where entry.id = asked.id
    )`
}

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
export async function showHits(db: Database, hits: HitKey[], seesNsfw: boolean): Promise<ShownHit[]> {
  if (hits.length === 0) return []
  const rows = await queryRows(db, SHOW, [JSON.stringify(hits), seesNsfw])
  return rows.flatMap(({ place, ...shown }) => {
    const key = hits[place - 1]
    return key ? [{ ...key, ...shown }] : []
  })
}
