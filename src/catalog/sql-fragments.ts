import { ID_NUMBER_PATTERN, idPrefix } from '../sources/external-ids.ts'
import type { SourceName } from '../sources/registry.ts'
import { KINDS, WORK_KINDS, type EntryKind, type WorkKind } from './kinds.ts'
import { WHOLE_POINTS } from './whole-points.ts'

/**
 * Pieces of the catalog's SQL. Every statement answers in wire shape: PostgreSQL writes the JSON, and nothing between it
 * and the client reads it again.
 */

/** A day as the date-time clients expect (decision 0002): midnight UTC. */
export const isoDay = (column: string) => `to_char(${column}, 'YYYY-MM-DD"T00:00:00.000Z"')`

/** A time as ISO 8601 UTC with milliseconds. */
export const isoTime = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const NO_SCORES = WHOLE_POINTS.map((points) => `"${points}":0`).join(',')
const NO_RATING = `'{"score":0,"total":0,"count":{${NO_SCORES}}}'::json`

/** Readers' rating of a work (decision 0002). */
export const ratingSql = (work: string) =>
  `coalesce((select published.rating from work_ratings published where published.work_id = ${work}.id), ${NO_RATING})`

/**
 * Returns the SQL of an entry's id at an outside source, as a number, or null if it has none. If there are several, the
 * lowest one is used. If no records of that source are loaded, the id stated by another source is used.
 *
 * @param entry the entry's table or alias
 */
export const outsideId = (kind: EntryKind, entry: string, source: SourceName) => `coalesce(
    (
      select min(${numberIn('record.external_id', kind, source)})
      from source_records record
      where record.kind = '${kind}'
        and record.entry_id = ${entry}.id
        and record.source = '${source}'
        and ${isIdOf('record.external_id', kind, source)}
    ),
    ${statedId(kind, entry, source)}
  )`

const numberIn = (id: string, kind: EntryKind, source: SourceName) =>
  `substr(${id}, ${idPrefix(source, kind).length + 1})::bigint`
const isIdOf = (id: string, kind: EntryKind, source: SourceName) =>
  `${id} ~ '^${idPrefix(source, kind)}${ID_NUMBER_PATTERN}$'`

/** One that is stated of this entry alone, and the only one stated of it: null where sources are not of one mind. */
const statedId = (kind: EntryKind, entry: string, source: SourceName) => `(
      select min(${numberIn('stated.other_external_id', kind, source)})
      from source_records record
      join source_same_as stated
        on stated.source = record.source and stated.kind = record.kind and stated.external_id = record.external_id
      where record.kind = '${kind}'
        and record.entry_id = ${entry}.id
        and stated.other_source = '${source}'
        and ${isIdOf('stated.other_external_id', kind, source)}
      having count(distinct stated.other_external_id) = 1
        and not exists (
          select from source_records taken
          where taken.source = '${source}'
            and taken.kind = '${kind}'
            and taken.external_id = min(stated.other_external_id)
        )
        and not exists (
          select
          from source_same_as rival
          join source_records other
            on other.source = rival.source and other.kind = rival.kind and other.external_id = rival.external_id
          where rival.other_source = '${source}'
            and rival.kind = '${kind}'
            and rival.other_external_id = min(stated.other_external_id)
            and other.entry_id <> ${entry}.id
        )
    )`

/** The same as the source writes it. */
export const outsideIdText = (kind: EntryKind, entry: string, source: SourceName) =>
  `'${idPrefix(source, kind)}' || ${outsideId(kind, entry, source)}`

/**
 * SQL: a `from` item `outside` with an entry's ids at VNDB and Bangumi, for statements that use an id more than once.
 * `offset 0` keeps the planner from evaluating the ids once per use.
 */
export const outsideIds = (kind: EntryKind, entry: string) => `(
    select
      ${outsideId(kind, entry, 'vndb')} as vndb,
      ${outsideId(kind, entry, 'bangumi')} as bangumi
    offset 0
  ) outside`

/** Same for a book: Bangumi only, because VNDB has no books. */
export const bangumiId = (kind: EntryKind, entry: string) =>
  `(select ${outsideId(kind, entry, 'bangumi')} as bangumi offset 0) outside`

/** The id at VNDB as VNDB writes it, from `outsideIds`. */
export const vndbId = (kind: EntryKind) => `'${idPrefix('vndb', kind)}' || outside.vndb`

/** `external_source` of a detail, from `outsideIds`. */
export const externalSourceSql = (kind: EntryKind) =>
  `json_build_object('vndb', ${vndbId(kind)}, 'bangumi', outside.bangumi::text)`

/**
 * SQL: rows `(entry_id)` of the entries with this id at a site. If the site's own records lack the id, the lookup uses ids
 * stated by other sources, so that every id a detail shows (`outsideId`) leads back to it.
 */
export const entriesOfOutsideId = (source: string, kind: string, externalId: string) => `
  select record.entry_id
  from source_records record
  where record.source = ${source} and record.kind = ${kind} and record.external_id = ${externalId}
  union all
  select record.entry_id
  from source_same_as stated
  join source_records record
    on record.source = stated.source and record.kind = stated.kind and record.external_id = stated.external_id
  where stated.other_source = ${source}
    and stated.kind = ${kind}
    and stated.other_external_id = ${externalId}
    and not exists (
      select from source_records taken
      where taken.source = ${source} and taken.kind = ${kind} and taken.external_id = ${externalId}
    )`

/** Types of producers that clients do not know. */
const FINER_TYPES = `('PUBLISHER', 'LABEL')`

/** SQL: a producer's type, mapped to one of `PRODUCER_TYPES`. */
export const producerType = (producer: string) =>
  `case when ${producer}.type in ${FINER_TYPES} then 'COMPANY' else ${producer}.type end`

/** A producer's labels, followed by its original type if the response maps that to `COMPANY`. */
export const producerLabels = (producer: string) => `
  case
    when ${producer}.type in ${FINER_TYPES}
      then ${producer}.labels || jsonb_build_object('key', 'type', 'value', ${producer}.type)
    else ${producer}.labels
  end`

/** Name of a galgame's first developer. */
export const developerName = (galgame: string) => `(
    select producer.name
    from galgame_producers credit
    join producers producer on producer.id = credit.producer_id
    where credit.galgame_id = ${galgame}.id and credit.role = 'DEVELOPER'
    order by credit.position
    limit 1
  )`

/** The covers of a galgame, each with what has been known of covers only since decision 0002. */
export const galgameCoversSql = (galgame: string) => `coalesce(
    (
      select jsonb_agg('{"kind": null, "language": null}' || cover order by place)
      from jsonb_array_elements(${galgame}.covers) with ordinality shown (cover, place)
    ),
    '[]'
  )`

/** Adds to each cover its picture as a RatedMediaDto, under `media`. @param covers a jsonb array */
export const coversWithMediaSql = (covers: string) => `coalesce(
    (
      select jsonb_agg(cover || jsonb_build_object('media', (${ratedMediaText('cover')})::jsonb) order by place)
      from jsonb_array_elements(${covers}) with ordinality shown (cover, place)
    ),
    '[]'
  )`

/** OpenEntityRefDto (§2.2). */
const entityRef = (id: string, name: string, transName: string, image: string) =>
  `json_build_object('id', ${id}, 'name', ${name}, 'trans_name', ${transName}, 'image', ${image})`

/** A person under the name the work credits. `credit` is the linking table. */
export const creditedPersonRef = (credit: string) =>
  entityRef(
    'person.id',
    `coalesce(${credit}.credited_as, person.name)`,
    'person.trans_name',
    'person.image',
  )
export const personRef = entityRef('person.id', 'person.name', 'person.trans_name', 'person.image')
export const producerRef = entityRef(
  'producer.id',
  'producer.name',
  'producer.trans_name',
  'producer.logo',
)
export const characterRef = entityRef(
  'character.id',
  'character.name',
  'character.trans_name',
  'character.image',
)
/**
 * Columns of a reference to a work, read from the row `referred`. The image is the first cover, which has the most
 * votes.
 */
const referredWork = (kind: WorkKind) => {
  const { title, translated } = KINDS[kind].shown
  return [`referred.${title}`, `referred.${translated}`, firstCover('referred')] as const
}

/**
 * Reference to a work of any kind, identified by two columns. Null if the work does not exist; a withdrawn work is
 * shown as last known.
 */
export const workRef = (id: string, kind: string) => `
  case ${kind} ${WORK_KINDS.map(
    (work) => `
    when '${work}' then (
      select ${entityRef('referred.id', ...referredWork(work))} from known_${KINDS[work].table} referred where referred.id = ${id}
    )`,
  ).join('')}
  end`

/** As OpenMediaDto (§2.2), without what only a cover has. */
export const firstCover = (work: string) =>
  `(${work}.covers -> 0) - array['votes', 'kind', 'language']`

/** The same as columns `reference`, `name`, `trans_name` and `image`; no row when it is not there. */
export const workReference = (id: string, kind: string) =>
  WORK_KINDS.map((work) => {
    const [name, transName, image] = referredWork(work)
    return `
  select ${entityRef('referred.id', name, transName, image)} as reference, ${name} as name, ${transName} as trans_name,
    ${image} as image
  from known_${KINDS[work].table} referred
  where ${kind} = '${work}' and referred.id = ${id}`
  }).join(`
  union all`)

/** A picture as the JSON text of a RatedMediaDto (`toRatedMedia`), 'null' where there is none. */
export const ratedMediaText = (picture: string) => `
  case when ${picture} is null then 'null' else
    '{"id":' || 1 + ('x' || encode(substr(sha256(convert_to(${picture} ->> 'url', 'UTF8')), 1, 6), 'hex'))::bit(48)::bigint ||
    ',"src":' || (${picture} -> 'url') ||
    ',"width":' || coalesce(${picture} ->> 'width', 'null') ||
    ',"height":' || coalesce(${picture} ->> 'height', 'null') ||
    ',"nsfw":' || ((${picture} ->> 'sexual')::integer > 0 or (${picture} ->> 'violence')::integer > 0)::text ||
    ',"sexual":' || (${picture} ->> 'sexual') ||
    ',"violence":' || (${picture} ->> 'violence') || '}'
  end`

/** Title of an entry in lists: the translated one if there is one. */
export const shownTitleSql = (kind: EntryKind, entry: string) => {
  const { title, translated } = KINDS[kind].shown
  return `coalesce(nullif(${entry}.${translated}, ''), ${entry}.${title})`
}

/** Date of an entry in lists. */
export const shownDaySql = (kind: EntryKind, entry: string) => {
  const { day } = KINDS[kind].shown
  return day === null ? 'null::date' : `${entry}.${day}`
}

/**
 * Picture of an entry in lists, as OpenCoverDto (§2.2). For a work, it is the cover with the most votes; other pictures
 * have no votes.
 */
export const shownCoverSql = (kind: EntryKind, entry: string) => {
  const { picture } = KINDS[kind].shown
  return picture === 'covers'
    ? `(${entry}.covers -> 0) - array['kind', 'language']`
    : `${entry}.${picture} || '{"votes": 0}'`
}
