import { Type, type Static } from 'typebox'
import { ENTRY_KINDS } from '../catalog/kinds.ts'
import { OpenCoverDto } from '../catalog/schemas.ts'
import { coverOfImage, coverOfWork, developerName, isoDay, isoTime } from '../catalog/sql-fragments.ts'
import { DateTime, Id, Named, Nullable, NullableDate, Ref, StringEnum } from '../http/wire/schemas.ts'

/** What lists say of an entry of any kind; every property is there for each. */
export const EntrySummary = Named('EntrySummary', {
  type: StringEnum(ENTRY_KINDS, { title: 'EntryType' }),
  id: Id,
  title: Type.String({ description: 'The translated title or name where there is one, else the original' }),
  original_title: Type.String(),
  developer: Type.Union([Type.String(), Type.Null()], {
    description: 'Of a galgame: the name of the first developer',
  }),
  cover: Nullable(Ref(OpenCoverDto)),
  release_date: NullableDate,
  status: Type.Union([Type.String(), Type.Null()], {
    description: 'Of a work: `dev_status`, `novel_status` or `serial_status` of its detail',
  }),
  nsfw: Type.Boolean(),
  score: Type.Union([Type.Number(), Type.Null()], {
    description: 'Of a work: the mean of its scores; null when there are none',
  }),
  readers: Type.Integer({
    minimum: 0,
    description: 'Public records of a work; of a person, producer or character those of all their works',
  }),
  changed_at: DateTime,
})

export type EntrySummary = Static<typeof EntrySummary>

type SummaryParts = {
  /** The names of the entry, in `entry`. */
  title: string
  original: string
  cover: string
  date?: string
  status?: string
  developer?: string
}

const BOOK = {
  title: 'entry.name_cn',
  original: 'entry.name',
  cover: coverOfWork('entry'),
  date: 'entry.publication_date',
}
const INDIVIDUAL = { title: 'entry.trans_name', original: 'entry.name', cover: coverOfImage('entry.image') }

const PARTS: Record<string, SummaryParts & { table: string }> = {
  galgame: {
    table: 'galgames',
    title: 'entry.trans_title',
    original: 'entry.origin_title',
    cover: coverOfWork('entry'),
    date: 'entry.release_date',
    status: 'entry.dev_status',
    developer: developerName('entry'),
  },
  light_novel: { table: 'light_novels', ...BOOK, status: 'entry.novel_status' },
  manga: { table: 'mangas', ...BOOK, status: 'entry.serial_status' },
  person: { table: 'people', ...INDIVIDUAL },
  producer: {
    table: 'producers',
    ...INDIVIDUAL,
    cover: coverOfImage('entry.logo'),
    date: 'entry.established',
  },
  character: { table: 'characters', ...INDIVIDUAL },
}

/**
 * The `EntrySummary` of a row of `listings`, as JSON; null when the entry is not there any more.
 *
 * @param listing what the statement calls the row
 * @param seesNsfw SQL: whether the caller sees nsfw works
 */
export const summarySql = (listing: string, seesNsfw: string) => `
  case ${listing}.kind ${Object.entries(PARTS)
    .map(
      ([
        kind,
        { table, title, original, cover, date = 'null::date', status = 'null', developer = 'null' },
      ]) => `
    when '${kind}' then (
      select json_build_object(
        'type', '${kind}',
        'id', entry.id,
        'title', coalesce(nullif(${title}, ''), ${original}),
        'original_title', ${original},
        'developer', ${developer},
        'cover', ${cover},
        'release_date', ${isoDay(date)},
        'status', ${status},
        'nsfw', ${listing}.nsfw,
        'score', nullif(trim_scale(${listing}.score), 0),
        'readers', case when ${seesNsfw} then ${listing}.readers_full else ${listing}.readers end,
        'changed_at', ${isoTime(`${listing}.changed_at`)}
      )
      from ${table} entry where entry.id = ${listing}.id
    )`,
    )
    .join('')}
  end`
