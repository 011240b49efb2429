import { ID_NUMBER_PATTERN, idPrefix } from '../sources/external-ids.ts'
import type { SourceName } from '../sources/registry.ts'
import { isWorkKind, KINDS, WORK_KINDS, type EntryKind } from './kinds.ts'
import { WHOLE_POINTS } from './whole-points.ts'

/**
 * SQL fragments for the catalog. Statements return JSON in the shape of the API, which is sent to the client without
 * being parsed.
 */

/** Date as a date-time at midnight UTC, as clients expect (decision 0002). */
export const isoDaySql = (column: string) => `to_char(${column}, 'YYYY-MM-DD"T00:00:00.000Z"')`

/** Timestamp in ISO 8601, UTC, with milliseconds. */
export const isoTimeSql = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const NO_SCORES = WHOLE_POINTS.map((points) => `"${points}":0`).join(',')
const NO_RATING = `'{"score":0,"total":0,"count":{${NO_SCORES}}}'::json`

/** Aggregated rating of a work (decision 0002). */
export const ratingSql = (work: string) =>
  `coalesce((select published.rating from work_ratings published where published.work_id = ${work}.id), ${NO_RATING})`

/**
 * Returns SQL for an entry's id at a source: a number, or null if the entry has no id there. If the entry has several
 * ids, the lowest one is used. If it has no record from that source, an id stated by other sources is used.
 *
 * @param entry the entry's table or alias
 */
export const externalIdSql = (kind: EntryKind, entry: string, source: SourceName) => `coalesce(
    (
      select min(${idNumberSql('record.external_id', kind, source)})
      from source_records record
      where record.kind = '${kind}'
        and record.entry_id = ${entry}.id
        and record.source = '${source}'
        and ${isIdSql('record.external_id', kind, source)}
    ),
    ${statedIdSql(kind, entry, source)}
  )`

const idNumberSql = (id: string, kind: EntryKind, source: SourceName) =>
  `substr(${id}, ${idPrefix(source, kind).length + 1})::bigint`
const isIdSql = (id: string, kind: EntryKind, source: SourceName) =>
  `${id} ~ '^${idPrefix(source, kind)}${ID_NUMBER_PATTERN}$'`

/**
 * SQL for an id that other sources state. Null if they state different ids, if a record of the source has the id, or
 * if the id is also stated for another entry.
 */
const statedIdSql = (kind: EntryKind, entry: string, source: SourceName) => `(
      select min(${idNumberSql('stated.other_external_id', kind, source)})
      from source_records record
      join source_same_as stated
        on stated.source = record.source and stated.kind = record.kind and stated.external_id = record.external_id
      where record.kind = '${kind}'
        and record.entry_id = ${entry}.id
        and stated.other_source = '${source}'
        and ${isIdSql('stated.other_external_id', kind, source)}
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

/** Like `externalIdSql`, but in the source's own notation. */
export const externalIdTextSql = (kind: EntryKind, entry: string, source: SourceName) =>
  `'${idPrefix(source, kind)}' || ${externalIdSql(kind, entry, source)}`

/**
 * SQL for a `from` item `outside` with an entry's ids at VNDB and Bangumi, for statements that use an id more than
 * once. `offset 0` keeps the planner from evaluating the ids once per use.
 */
export const externalIdsSql = (kind: EntryKind, entry: string) => `(
    select
      ${externalIdSql(kind, entry, 'vndb')} as vndb,
      ${externalIdSql(kind, entry, 'bangumi')} as bangumi
    offset 0
  ) outside`

/** Like `externalIdsSql`, for books. Only Bangumi is included, because VNDB has no books. */
export const bangumiIdSql = (kind: EntryKind, entry: string) =>
  `(select ${externalIdSql(kind, entry, 'bangumi')} as bangumi offset 0) outside`

/** SQL for the VNDB id in VNDB's own notation, read from `externalIdsSql`. */
export const vndbIdSql = (kind: EntryKind) => `'${idPrefix('vndb', kind)}' || outside.vndb`

/** SQL for the `external_source` field of a detail, read from `externalIdsSql`. */
export const externalSourceSql = (kind: EntryKind) =>
  `json_build_object('vndb', ${vndbIdSql(kind)}, 'bangumi', outside.bangumi::text)`

/**
 * SQL for rows `(entry_id)` of the entries with a given id at a source. If no record of the source has the id, the
 * lookup uses ids stated by other sources. Every id shown in a detail (`externalIdSql`) therefore leads back to its
 * entry.
 */
export const entriesByExternalIdSql = (source: string, kind: string, externalId: string) => `
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

/** Producer types that clients do not know. */
const UNEXPOSED_PRODUCER_TYPES = `('PUBLISHER', 'LABEL')`

/** SQL for a producer's type, mapped to one of `PRODUCER_TYPES`. */
export const producerTypeSql = (producer: string) =>
  `case when ${producer}.type in ${UNEXPOSED_PRODUCER_TYPES} then 'COMPANY' else ${producer}.type end`

/** SQL for a producer's labels, followed by the original type if the response replaces that type with `COMPANY`. */
export const producerLabelsSql = (producer: string) => `
  case
    when ${producer}.type in ${UNEXPOSED_PRODUCER_TYPES}
      then ${producer}.labels || jsonb_build_object('key', 'type', 'value', ${producer}.type)
    else ${producer}.labels
  end`

/** SQL for the name of a galgame's first developer. */
export const developerNameSql = (galgame: string) => `(
    select producer.name
    from galgame_producers credit
    join producers producer on producer.id = credit.producer_id
    where credit.galgame_id = ${galgame}.id and credit.role = 'DEVELOPER'
    order by credit.position
    limit 1
  )`

/** SQL for a join with the first developer of a galgame, for `developerNamesSql`. Other kinds have none. */
export const developerJoinSql = (kind: EntryKind, entry: string) =>
  kind === 'galgame'
    ? `
      left join lateral (
        select producer.name, producer.trans_name, latin_name(producer.name, producer.aliases) as romaji_name
        from galgame_producers credit
        join producers producer on producer.id = credit.producer_id
        where credit.galgame_id = ${entry}.id and credit.role = 'DEVELOPER'
        order by credit.position
        limit 1
      ) developer on true`
    : ''

/** SQL for the keys and values of `DEVELOPER_NAMES` in a JSON object. */
export const developerNamesSql = (kind: EntryKind) =>
  kind === 'galgame'
    ? `'developer', developer.name,
        'developer_trans_name', developer.trans_name,
        'developer_romaji_name', developer.romaji_name`
    : `'developer', null, 'developer_trans_name', null, 'developer_romaji_name', null`

/** SQL for the covers of a galgame, with defaults for the fields that decision 0002 added later. */
export const galgameCoversSql = (galgame: string) => `coalesce(
    (
      select jsonb_agg('{"kind": null, "language": null}' || cover order by place)
      from jsonb_array_elements(${galgame}.covers) with ordinality shown (cover, place)
    ),
    '[]'
  )`

/**
 * Adds the picture of each cover as a RatedMediaDto, under `media`.
 *
 * @param covers a jsonb array
 */
export const coversWithMediaSql = (covers: string) => `coalesce(
    (
      select jsonb_agg(cover || jsonb_build_object('media', (${ratedMediaTextSql('cover')})::jsonb) order by place)
      from jsonb_array_elements(${covers}) with ordinality shown (cover, place)
    ),
    '[]'
  )`

/** First cover as OpenMediaDto (§2.2), without the fields specific to covers. */
export const firstCoverSql = (work: string) =>
  `(${work}.covers -> 0) - array['votes', 'kind', 'language']`

/**
 * SQL for an OpenEntityRefDto (§2.2).
 *
 * @param entry alias of the entry's row
 * @param credited SQL for the name credited in a work; null if it is the main name
 */
const entityRef = (kind: EntryKind, entry: string, credited?: string) => {
  const { title, translated, picture } = KINDS[kind].shown
  const name = `${entry}.${title}`
  const image = picture === 'covers' ? firstCoverSql(entry) : `${entry}.${picture}`
  return `json_build_object(
    'id', ${entry}.id,
    'name', ${credited === undefined ? name : `coalesce(${credited}, ${name})`},
    'trans_name', ${entry}.${translated},
    'image', ${image},
    ${localizedTitlesSql(kind, entry, credited)}
  )`
}

/**
 * SQL for the keys and values `en_title`, `romaji_title` and `ko_title` of a JSON object. They are null if the
 * entry has no such title.
 *
 * @param entry alias of the entry's row
 * @param credited SQL for the name shown instead of the main name; if it is not null, all three are null
 */
export function localizedTitlesSql(kind: EntryKind, entry: string, credited?: string) {
  const { en, romaji, ko } = localizedSql(kind, entry)
  const ofMainName = (value: string) =>
    credited === undefined || value === 'null'
      ? value
      : `case when ${credited} is null then ${value} end`
  return `'en_title', ${ofMainName(en)},
    'romaji_title', ${ofMainName(romaji)},
    'ko_title', ${ko}`
}

function localizedSql(kind: EntryKind, entry: string) {
  const { title, english, romaji, korean } = KINDS[kind].shown
  const valueOf = (column: string | null) => (column === null ? 'null' : `${entry}.${column}`)
  return {
    en: valueOf(english),
    romaji: isWorkKind(kind) ? valueOf(romaji) : `latin_name(${entry}.${title}, ${entry}.aliases)`,
    ko: valueOf(korean),
  }
}

/** SQL for the first of an entry's titles in the given languages, otherwise the original. */
export function firstTitleSql(
  kind: EntryKind,
  entry: string,
  languages: readonly ('en' | 'romaji' | 'ko')[],
) {
  const titles = localizedSql(kind, entry)
  const known = languages.map((language) => titles[language]).filter((title) => title !== 'null')
  return `coalesce(${[...known.map((title) => `nullif(${title}, '')`), `${entry}.${KINDS[kind].shown.title}`].join(', ')})`
}

/**
 * SQL for a reference to a person, under the name credited in the work.
 *
 * @param credit alias of the linking table
 */
export const creditedPersonRef = (credit: string) =>
  entityRef('person', 'person', `${credit}.credited_as`)
/** SQL for the voice actors of the credited character in a galgame, in credit order. */
export const voiceActorsSql = `coalesce(
    (
      select json_agg(${creditedPersonRef('voice')} order by voice.position)
      from galgame_character_actors voice
      join people person on person.id = voice.person_id
      where voice.galgame_id = credit.galgame_id and voice.character_id = credit.character_id
    ),
    '[]'
  )`
export const personRef = entityRef('person', 'person')
export const producerRef = entityRef('producer', 'producer')
export const characterRef = entityRef('character', 'character')

/**
 * SQL for a reference to a work of any kind, identified by two columns. Null if the work does not exist. A withdrawn
 * work is shown with its last known data.
 */
export const workRefSql = (id: string, kind: string) => `
  case ${kind} ${WORK_KINDS.map(
    (work) => `
    when '${work}' then (
      select ${entityRef(work, 'referred')} from known_${KINDS[work].table} referred where referred.id = ${id}
    )`,
  ).join('')}
  end`

/**
 * Like `workRefSql`, but as a row with the columns `reference`, `name`, `trans_name` and `image`. There is no row if
 * the work does not exist.
 */
export const workRefRowsSql = (id: string, kind: string) =>
  WORK_KINDS.map((work) => {
    const { title, translated } = KINDS[work].shown
    return `
  select ${entityRef(work, 'referred')} as reference, referred.${title} as name, referred.${translated} as trans_name,
    ${firstCoverSql('referred')} as image
  from known_${KINDS[work].table} referred
  where ${kind} = '${work}' and referred.id = ${id}`
  }).join(`
  union all`)

/** SQL for all titles of a work, withdrawn or not, one per line. */
export const workTitlesSql = (id: string, kind: string) =>
  `case ${kind} ${WORK_KINDS.map((work) => {
    const { title, translated, english, romaji, korean } = KINDS[work].shown
    const titles = [title, translated, english, romaji, korean].map((name) => `titled.${name}`)
    return `
    when '${work}' then (
      select concat_ws(E'\\n', ${titles.join(', ')}) from known_${KINDS[work].table} titled where titled.id = ${id}
    )`
  }).join('')} end`

/** A picture as the JSON text of a RatedMediaDto (`toRatedMedia`), or 'null'. */
export const ratedMediaTextSql = (picture: string) => `
  case when ${picture} is null then 'null' else
    '{"id":' || 1 + ('x' || encode(substr(sha256(convert_to(${picture} ->> 'url', 'UTF8')), 1, 6), 'hex'))::bit(48)::bigint ||
    ',"src":' || (${picture} -> 'url') ||
    ',"width":' || coalesce(${picture} ->> 'width', 'null') ||
    ',"height":' || coalesce(${picture} ->> 'height', 'null') ||
    ',"nsfw":' || ((${picture} ->> 'sexual')::integer > 0 or (${picture} ->> 'violence')::integer > 0)::text ||
    ',"sexual":' || (${picture} ->> 'sexual') ||
    ',"violence":' || (${picture} ->> 'violence') || '}'
  end`

/** Title shown in lists: the translated title if there is one, otherwise the original. */
export const shownTitleSql = (kind: EntryKind, entry: string) => {
  const { title, translated } = KINDS[kind].shown
  return `coalesce(nullif(${entry}.${translated}, ''), ${entry}.${title})`
}

/** Date shown in lists. */
export const shownDaySql = (kind: EntryKind, entry: string) => {
  const { day } = KINDS[kind].shown
  return day === null ? 'null::date' : `${entry}.${day}`
}

/**
 * Picture shown in lists, as OpenCoverDto (§2.2): for a work, the cover with the most votes. Other pictures have 0
 * votes.
 */
export const shownCoverSql = (kind: EntryKind, entry: string) => {
  const { picture } = KINDS[kind].shown
  return picture === 'covers'
    ? `(${entry}.covers -> 0) - array['kind', 'language']`
    : `${entry}.${picture} || '{"votes": 0}'`
}
