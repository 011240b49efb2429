import { isoTimeSql, localizedTitlesSql } from '../../catalog/sql-fragments.ts'
import { KINDS, WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { queryRows } from '../../db/query.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import { statement } from '../../db/statement.ts'

/** Titles of the work of a release, as `shownNames` expects them. */
type ReleasedTitles = Record<'name', string> &
  Record<'trans_name' | 'en_title' | 'romaji_title' | 'ko_title', string | null>

/** Release of a galgame, or of a volume of a light novel or manga. */
export type CalendarRelease = {
  kind: WorkKind
  /** Id of the work. */
  id: number
  /** Null for a galgame. */
  volume_id: number | null
  /** Number or label of the volume, and its name. */
  number: string | null
  name: string | null
  nsfw: boolean
  titles: ReleasedTitles
  /** `YYYY-MM-DD`; null if only the month is known. */
  day: string | null
}

/** SQL for the releases of the kinds `$1` and visibilities `$2`, whose dates meet conditions. */
const releasesSql = (dates: (column: string) => string) => `
    select
      listing.kind, listing.id, null::bigint as volume_id, null as number, null as name,
      listing.nsfw, listing.popularity_full as popularity, listing.changed_at, listing.released as day
    from listings listing
    where listing.kind = 'galgame' and 'galgame' = any($1::text[]) and listing.nsfw = any($2::boolean[])
      and ${dates('listing.released')}
    ${volumesSql((volume) => dates(`${volume}.publication_date`))}`

/** SQL that appends the volumes that meet a condition. */
const volumesSql = (condition: (volume: string) => string) =>
  (
    [
      ['light_novel', 'coalesce(volume.volume_label, trim_scale(volume.volume_number)::text)'],
      ['manga', 'trim_scale(volume.volume_number)::text'],
    ] as const
  )
    .map(
      ([kind, number]) => `
    union all
    select
      listing.kind, listing.id, volume.id, ${number}, nullif(volume.name, ''),
      listing.nsfw, listing.popularity_full, listing.changed_at, volume.publication_date
    from ${kind}_volumes volume
    join listings listing on listing.kind = '${kind}' and listing.id = volume.${kind}_id
    where '${kind}' = any($1::text[]) and listing.nsfw = any($2::boolean[]) and ${condition('volume')}`,
    )
    .join('')

/** SQL for the titles of a release's work. */
const TITLES = `case release.kind ${WORK_KINDS.map((kind) => {
  const { table, shown } = KINDS[kind]
  return `
      when '${kind}' then (
        select json_build_object(
          'name', entry.${shown.title}, 'trans_name', entry.${shown.translated}, ${localizedTitlesSql(kind, 'entry')}
        )
        from ${table} entry where entry.id = release.id
      )`
}).join('')}
    end as titles`

const COLUMNS = `
    release.kind, release.id, release.volume_id, release.number, release.name, release.nsfw, ${TITLES},
    to_char(release.day, 'YYYY-MM-DD') as day`

export type ReleaseFilter = {
  kinds: readonly WorkKind[]
  /** Whether adult works are included. */
  seesNsfw: boolean
}

const visibilities = ({ seesNsfw }: ReleaseFilter) => (seesNsfw ? [false, true] : [false])

const OF_PERIOD = statement('browse.releases').returning<CalendarRelease & { total: number }>(`
  with found as (${releasesSql((column) => `${column} >= $3::date and ${column} < $4::date`)}
    union all
    select
      listing.kind, listing.id, null, null, null,
      listing.nsfw, listing.popularity_full, listing.changed_at, null
    from galgames game
    join listings listing on listing.kind = 'galgame' and listing.id = game.id
    where 'galgame' = any($1::text[]) and listing.nsfw = any($2::boolean[])
      and game.release_date is null and game.release_date_tbd_note = $5::text
    ${volumesSql((volume) => `${volume}.publication_date is null and ${volume}.publication_date_text = $5::text`)}
  )
  select ${COLUMNS}, release.total
  from (
    select
      found.*,
      row_number() over (partition by day order by popularity desc, id, volume_id) as place,
      count(*) over (partition by day) as total
    from found
  ) release
  where release.place <= $6::bigint
  order by release.day nulls last, release.place`)

export type Period = {
  /** First day, and the day after the last, `YYYY-MM-DD`. */
  from: string
  to: string
  /** Month (`YYYY-MM`) whose releases without a day are included. */
  month: string | null
  /** Maximum number of releases per day. */
  limit: number
}

/**
 * Lists the releases of a period by day, those of the most popular works first, and then those of a month whose day is
 * unknown. `total` is the number of releases of the same day.
 */
export const listReleases = (db: Reads, filter: ReleaseFilter, period: Period) =>
  queryRows(db, OF_PERIOD, [
    filter.kinds,
    visibilities(filter),
    period.from,
    period.to,
    period.month,
    period.limit,
  ])

export type DatedRelease = CalendarRelease & { day: string; changed_at: string }

/** SQL for the releases from the day `$3` to before the day `$4` that meet a condition. */
const sinceSql = (condition = 'true') => `
  select ${COLUMNS}, ${isoTimeSql('release.changed_at')} as changed_at
  from (
    select found.*
    from (${releasesSql((column) => `${column} >= $3::date and ${column} < $4::date`)}
    ) found
    where ${condition}
    order by found.day, found.kind, found.id, found.volume_id
    limit $5::bigint
  ) release
  order by release.day, release.kind, release.id, release.volume_id`

const SINCE = statement('browse.releases_since').returning<DatedRelease>(sinceSql())
const OF_LIST = statement('browse.releases_of_list').returning<DatedRelease>(
  sinceSql(`found.id in (
      select rating.work_id from ratings rating
      where rating.account_id = $6::bigint and rating.status in ('PLAN', 'GOING', 'ON_HOLD')
    )`),
)

/** Lists the releases of a period by day, with the time of the work's last change. Without `to`, the period is open-ended. */
export const listReleasesSince = (
  db: Reads,
  filter: ReleaseFilter,
  { from, to = 'infinity', limit }: Partial<Period> & Pick<Period, 'from' | 'limit'>,
) => queryRows(db, SINCE, [filter.kinds, visibilities(filter), from, to, limit])

/** Lists the releases of works that a user plans, has begun or has put on hold. */
export const listReleasesOfList = (
  db: Reads,
  filter: ReleaseFilter,
  { from, limit }: Pick<Period, 'from' | 'limit'>,
  accountId: number,
) =>
  queryRows(db, OF_LIST, [filter.kinds, visibilities(filter), from, 'infinity', limit, accountId])

/** SQL for the days of the releases before and after a period, of each kind. */
const nearestSql = (day: string, source: string, where: string) => {
  const first = (condition: string, direction: string) =>
    `(select ${day} from ${source} and ${day} ${condition} order by ${day} ${direction} limit 1)`
  return `
    select ${first(`< $3::date and ${day} > '-infinity'`, 'desc')}, ${first(`>= $4::date and ${day} < 'infinity'`, 'asc')}
    ${where}`
}

const NEAREST = statement('browse.nearest_releases').returning<NearestReleases>(`
  select to_char(max(near.previous), 'YYYY-MM-DD') as previous, to_char(min(near.next), 'YYYY-MM-DD') as next
  from (${[
    nearestSql(
      'listing.released',
      `listings listing where listing.kind = 'galgame' and listing.nsfw = visible.nsfw`,
      `from unnest($2::boolean[]) visible (nsfw) where 'galgame' = any($1::text[])`,
    ),
    ...(['light_novel', 'manga'] as const).map((kind) =>
      nearestSql(
        'volume.publication_date',
        `${kind}_volumes volume
      join listings listing on listing.kind = '${kind}' and listing.id = volume.${kind}_id
      where listing.nsfw = any($2::boolean[])`,
        `where '${kind}' = any($1::text[])`,
      ),
    ),
  ].join(`
    union all`)}
  ) near (previous, next)`)

/** The last day with releases before a period, and the first one after it. */
export type NearestReleases = Record<'previous' | 'next', string | null>

/** Finds the days with releases that are nearest to a period without any. */
export async function findNearestReleases(
  db: Reads,
  filter: ReleaseFilter,
  { from, to }: Pick<Period, 'from' | 'to'>,
): Promise<NearestReleases> {
  const [found] = await queryRows(db, NEAREST, [filter.kinds, visibilities(filter), from, to])
  return found ?? { previous: null, next: null }
}
