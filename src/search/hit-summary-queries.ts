import { forAnyValue } from '../db/generic-plan.ts'
import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Reads } from '../db/replicas/reads.ts'
import {
  shownCoverSql,
  shownDaySql,
  developerNameSql,
  localizedTitlesSql,
  producerTypeSql,
  shownTitleSql,
} from '../catalog/sql-fragments.ts'
import { ENTRY_KINDS, KINDS, WORK_KINDS, type EntryKind, type WorkKind } from '../catalog/kinds.ts'
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

/** SQL for rows `(id, kind, title)` of the works in which the character `entry` appears. */
const WORKS_OF_CHARACTER = WORK_KINDS.map(
  (kind) => `
  select work.id, '${kind}' as kind, ${shownTitleSql(kind, 'work')} as title
  from ${kind}_characters part join ${KINDS[kind].table} work on work.id = part.${kind}_id
  where part.character_id = entry.id`,
).join(`
  union all`)

/** SQL for the most popular work of the character `entry` that the caller may see. */
const topWork = (column: string) => `
      select ${column}
      from (${WORKS_OF_CHARACTER}) part
      join listings listing on listing.kind = part.kind and listing.id = part.id
      where ${forAnyValue('$2::boolean')} or not listing.nsfw
      order by listing.popularity desc, part.id
      limit 1`

const TOP_WORKS = statement('search.top_works').returning<{
  id: number
  kind: WorkKind
  work_id: number
}>(`
  select entry.id, work.kind, work.work_id
  from unnest(${forAnyValue('$1::bigint[]')}) entry (id)
  cross join lateral (${topWork('part.kind, part.id as work_id')}) work`)

/** Finds the most popular work of each character, keyed by the id of the character. */
export async function findTopWorks(
  db: Reads,
  characters: number[],
  seesNsfw: boolean,
): Promise<Map<number, { kind: WorkKind; id: number }>> {
  if (characters.length === 0) return new Map()
  const rows = await queryRows(db, TOP_WORKS, [characters, seesNsfw])
  return new Map(rows.map(({ id, kind, work_id }) => [id, { kind, id: work_id }]))
}

/** Returns SQL for a hit's subtitle, read from its row `entry`. */
const SUBTITLES: Record<EntryKind, string> = {
  galgame: yearOf('galgame'),
  light_novel: statusAndYear('light_novel'),
  manga: statusAndYear('manga'),
  person: 'null',
  producer: producerTypeSql('entry'),
  character: `(${topWork('part.title')})`,
}

const summaryCase = (kind: EntryKind) => `
    when '${kind}' then (
      select json_build_object(
        'type', '${kind}',
        'id', entry.id,
        'title', ${shownTitleSql(kind, 'entry')},
        ${localizedTitlesSql(kind, 'entry')},
        'subtitle', ${SUBTITLES[kind]},
        'developer', ${kind === 'galgame' ? developerNameSql('entry') : 'null'},
        'cover', ${shownCoverSql(kind, 'entry')}
      )
      from ${KINDS[kind].table} entry where entry.id = requested.id
    )`

/**
 * The planner's row estimate for a recordset does not depend on the parameters, so one plan serves all requests.
 * `offset 0` keeps the planner from computing each summary twice, because the null check also refers to it.
 */
const SUMMARIES = statement('search.show').returning<
  Omit<HitSummary, keyof HitKey> & { place: number }
>(`
  select place, shown::text as hit, producer_type
  from (
    select
      place,
      case requested.kind when 'producer' then (select type from producers where id = requested.id) end as producer_type,
      case requested.kind ${ENTRY_KINDS.map(summaryCase).join('')} end as shown
    from rows from (jsonb_to_recordset($1::jsonb) as (kind text, id bigint)) with ordinality as requested (kind, id, place)
    offset 0
  ) hit
  where shown is not null
  order by place`)

/** Reference to an entry found by a search. */
export type HitKey = { kind: EntryKind; id: number }

/** Summary of a hit, as JSON in the shape of the API. */
export type HitSummary = HitKey & {
  hit: string
  /** Stored type of a producer, used by pages; null for other kinds. The API returns a closed set (decision 0002). */
  producer_type: StoredProducerType | null
}

/** Returns the summaries of hits in order. Omits entries that have been deleted since the search. */
export async function summarizeHits(
  db: Reads,
  hits: HitKey[],
  seesNsfw: boolean,
): Promise<HitSummary[]> {
  if (hits.length === 0) return []
  const rows = await queryRows(db, SUMMARIES, [JSON.stringify(hits), seesNsfw])
  return rows.flatMap(({ place, ...shown }) => {
    const key = hits[place - 1]
    return key ? [{ ...key, ...shown }] : []
  })
}
