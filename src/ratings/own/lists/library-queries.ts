import { keysOf, recordOf } from '../../../kernel/typed-records.ts'
import { workRefSql, workRefRowsSql, workTitlesSql } from '../../../catalog/sql-fragments.ts'
import type { WorkKind } from '../../../catalog/kinds.ts'
import { queryRow, queryRows } from '../../../db/query.ts'
import { statement } from '../../../db/statement.ts'
import type { Database } from '../../../db/database.ts'
import { offsetAndLimit, type Page } from '../../../http/wire/requests/paging.ts'
import { STATUSES, type Status } from '../../fields.ts'
import { VISIBLE_TO, type Viewer } from './visibility-fragments.ts'
import type { WorkRef } from '../../../catalog/work-refs.ts'

/** Direction in which a list is sorted by a key at first. */
type Direction = 'asc' | 'desc'

/** Sort keys of every list, the default first. */
const KEYS = {
  recent: ['rating.updated_at', 'desc'],
  score: ['rating.rate', 'desc'],
  name: ['rating.name', 'asc'],
  date: ['rating.released', 'desc'],
} as const satisfies Record<string, readonly [sql: string, direction: Direction]>

/** Sort keys of the user's own list, which depend on the user's progress as well. */
const OWN_KEYS = {
  ...KEYS,
  finished: ['rating.finished_on', 'desc'],
  pace: ['rating.days', 'asc'],
  time: ['rating.minutes', 'desc'],
  label: ['rating.label', 'asc'],
} as const satisfies Record<string, readonly [sql: string, direction: Direction]>

export type LibraryOrder = keyof typeof OWN_KEYS
export type PublicOrder = keyof typeof KEYS
export const LIBRARY_ORDERS = keysOf(OWN_KEYS)
export const PUBLIC_ORDERS = keysOf(KEYS)

/** Returns the direction in which a list is sorted. */
export const directionOf = (order: LibraryOrder, isReversed: boolean): Direction =>
  (OWN_KEYS[order][1] === 'desc') === isReversed ? 'asc' : 'desc'

export type LibrarySort = { order: LibraryOrder; isReversed: boolean }

export type LibraryFilter = {
  /** Null selects works without a status. */
  status: Status | null | undefined
  kind: WorkKind | undefined
  title: string | undefined
  /** Label of the user's own list. */
  label?: string | undefined
}

export type LibraryItem = {
  kind: WorkKind
  work_id: number
  /** Null if the work has been deleted. */
  work: WorkRef | null
  year: string | null
  /** The owner's list contains adult works even if the owner's settings hide them elsewhere. */
  nsfw: boolean
  status: Status | null
  rate: number | null
  status_private: boolean
  has_review: boolean
  updated_at: Date
  /** A year, a month or a day. Like the end date, null in other users' lists. */
  started_on: string | null
  finished_on: string | null
  /** Empty in other users' lists. */
  labels: string[]
  /** Time spent. Like the next three fields, 0 in other users' lists. */
  minutes: number
  times_finished: number
  volumes_read: number
  chapters_read: number
}

/** The name of the listing is folded. Pages may show any of the titles. */
const OF_KIND_AND_TITLE = `
  ($2::text is null or rating.kind = $2)
    and (
      $3::text is null
      or strpos(listing.name, fold_name($3)) > 0
      or strpos(lower(${workTitlesSql('rating.work_id', 'rating.kind')}), lower($3)) > 0
    )`

const LISTING =
  'left join listings listing on listing.kind = rating.kind and listing.id = rating.work_id'

/** Columns, rows and condition of a list. */
type Source = { columns: string; from: string; where: string }

const sourceFor = (viewer: Exclude<Viewer, 'owner'>): Source => ({
  columns: `
    rating.rate_content <> '' as has_review, null::text as started_on, null::text as finished_on, null::integer as days,
    '[]'::jsonb as labels, 0 as minutes, 0 as times_finished, 0 as volumes_read, 0 as chapters_read`,
  from: `ratings rating ${LISTING}`,
  where: `rating.account_id = $1${VISIBLE_TO[viewer]} and ${OF_KIND_AND_TITLE}`,
})

/** The user's own list also contains works with progress but no rating, below those without a status. */
const OWN_SOURCE: Source = {
  columns: `
    rating.has_review, progress.started_on::text as started_on, progress.finished_on::text as finished_on,
    case
      when length(progress.started_on) = 10 and length(progress.finished_on) = 10 and progress.started_on <= progress.finished_on
      then progress.finished_on::date - progress.started_on::date
    end as days,
    greatest(rating.minutes, progress.minutes) as minutes,
    (select min(fold_name(label)) from jsonb_array_elements_text(progress.labels) labels (label)) as label,
    coalesce(progress.labels, '[]') as labels, coalesce(progress.times_finished, 0) as times_finished,
    coalesce(progress.volumes_read, 0) as volumes_read, coalesce(progress.chapters_read, 0) as chapters_read`,
  from: `(
      select
        own.kind, own.work_id, own.status, own.rate, own.status_private, own.updated_at,
        own.rate_content <> '' as has_review, own.time_to_finish_minutes as minutes
      from ratings own
      where own.account_id = $1
      union all
      select own.kind, own.work_id, null, null, true, own.updated_at, false, 0
      from progress own
      where own.account_id = $1
        and not exists (select from ratings rated where rated.account_id = $1 and rated.work_id = own.work_id)
    ) rating
    left join progress on progress.account_id = $1 and progress.work_id = rating.work_id
    ${LISTING}`,
  where: `${OF_KIND_AND_TITLE} and ($4::text is null or progress.labels ? $4)`,
}

/**
 * SQL for the order of a list. Works without the key come last in both directions.
 *
 * @param isReversed parameter that reverses the order
 */
const orderSql = ([key, direction]: readonly [string, Direction], isReversed: string) => `
  case when not ${isReversed}::boolean then ${key} end ${direction} nulls last,
  case when ${isReversed}::boolean then ${key} end ${direction === 'asc' ? 'desc' : 'asc'} nulls last,
  rating.updated_at desc, rating.work_id desc`

const listSql = ({ columns, from, where }: Source, page: string, order: string) => `
  select
    rating.kind, rating.work_id, work.reference as work,
    case when isfinite(rating.released) then to_char(rating.released, 'YYYY') end as year,
    coalesce(rating.nsfw, false) as nsfw,
    rating.status, rating.rate, rating.status_private, rating.has_review, rating.updated_at, rating.started_on, rating.finished_on,
    rating.labels, rating.minutes, rating.times_finished, rating.volumes_read, rating.chapters_read
  from (
    select *
    from (
      select
        rating.kind, rating.work_id, rating.status, rating.rate, rating.status_private, rating.updated_at,
        ${columns}, listing.name, listing.released, listing.nsfw
      from ${from}
      where ${where}
    ) rating
    where ${page}
  ) rating
  left join lateral (${workRefRowsSql('rating.work_id', 'rating.kind')}) work on true
  order by ${order}`

/** Rows of one page. The order is repeated around them, because joins may change it. */
const pageSql = (first: number, order: string) => `
  (not $${first}::boolean or rating.status is not distinct from $${first + 1})
    order by ${order}
    offset $${first + 2} limit $${first + 3}`

const VIEWERS = ['adults', 'everyone'] as const

/** Lists as others see them. Parameters from `$4` on: whether a status is chosen, the status, offset, limit, direction. */
const PUBLIC_LISTS = recordOf(VIEWERS, (viewer) =>
  recordOf(PUBLIC_ORDERS, (name) => {
    const order = orderSql(KEYS[name], '$8')
    return statement(`ratings.library_for_${viewer}_by_${name}`).returning<LibraryItem>(
      listSql(sourceFor(viewer), pageSql(4, order), order),
    )
  }),
)

/** Position of a work's group: statuses in the order of the tabs, and last the works without one. */
const BY_STATUS = `array_position(array[${STATUSES.map((status) => `'${status}'`).join(', ')}], rating.status)`

/** The user's own lists. `$4` is the label, and `$10` tells whether the works are grouped by status. */
const OWN_LISTS = recordOf(LIBRARY_ORDERS, (name) => {
  const order = `case when $10::boolean then ${BY_STATUS} end nulls last, ${orderSql(OWN_KEYS[name], '$9')}`
  return statement(`ratings.own_library_by_${name}`).returning<LibraryItem>(
    listSql(OWN_SOURCE, pageSql(5, order), order),
  )
})

const countSql = ({ from, where }: Source) =>
  `select rating.status, count(*) as amount from ${from} where ${where} group by rating.status`

type StatusCount = { status: Status | null; amount: number }

const PUBLIC_COUNTS = recordOf(VIEWERS, (viewer) =>
  statement(`ratings.library_counts_for_${viewer}`).returning<StatusCount>(
    countSql(sourceFor(viewer)),
  ),
)

const OWN_COUNTS = statement('ratings.own_library_counts').returning<StatusCount>(
  countSql(OWN_SOURCE),
)

/** Lists one page of a user's works as another viewer sees them. */
export function listLibrary(
  db: Database,
  accountId: number,
  { status, kind, title }: LibraryFilter,
  { order, isReversed }: { order: PublicOrder; isReversed: boolean },
  page: Page,
  viewer: Exclude<Viewer, 'owner'>,
): Promise<LibraryItem[]> {
  const { offset, limit } = offsetAndLimit(page)
  return queryRows(db, PUBLIC_LISTS[viewer][order], [
    accountId,
    kind ?? null,
    title ?? null,
    status !== undefined,
    status ?? null,
    offset,
    limit,
    isReversed,
  ])
}

/**
 * Lists one page of the user's own works, also of those with progress but no rating.
 *
 * @param isGrouped whether the works are sorted by status first
 */
export function listOwnLibrary(
  db: Database,
  accountId: number,
  { status, kind, title, label }: LibraryFilter,
  { order, isReversed, isGrouped }: LibrarySort & { isGrouped: boolean },
  page: Page,
): Promise<LibraryItem[]> {
  const { offset, limit } = offsetAndLimit(page)
  return queryRows(db, OWN_LISTS[order], [
    accountId,
    kind ?? null,
    title ?? null,
    label ?? null,
    status !== undefined,
    status ?? null,
    offset,
    limit,
    isReversed,
    isGrouped,
  ])
}

const toCounts = (rows: StatusCount[]): Map<Status | null, number> =>
  new Map(rows.map(({ status, amount }) => [status, amount]))

export const countLibrary = async (
  db: Database,
  accountId: number,
  { kind, title }: Pick<LibraryFilter, 'kind' | 'title'>,
  viewer: Exclude<Viewer, 'owner'>,
): Promise<Map<Status | null, number>> =>
  toCounts(await queryRows(db, PUBLIC_COUNTS[viewer], [accountId, kind ?? null, title ?? null]))

export const countOwnLibrary = async (
  db: Database,
  accountId: number,
  { kind, title, label }: LibraryFilter,
): Promise<Map<Status | null, number>> =>
  toCounts(await queryRows(db, OWN_COUNTS, [accountId, kind ?? null, title ?? null, label ?? null]))

const MARKS = statement('ratings.statuses').returning<{ work_id: number; status: Status | null }>(
  'select rating.work_id, rating.status from ratings rating where rating.account_id = $1 and rating.work_id = any($2)',
)

/** Maps each of the works that the user has rated to the status of its rating. */
export async function findStatuses(
  db: Database,
  accountId: number,
  works: number[],
): Promise<Map<number, Status | null>> {
  const rows = await queryRows(db, MARKS, [accountId, works])
  return new Map(rows.map(({ work_id, status }) => [work_id, status]))
}

const WORK_REF = statement('ratings.work_ref').returning<{ work: WorkRef | null; nsfw: boolean }>(`
  select
    ${workRefSql('wanted.id', 'wanted.kind')} as work,
    exists (select from listings listing where listing.kind = $2 and listing.id = $1 and listing.nsfw) as nsfw
  from (select $1::bigint as id, $2::text as kind) wanted`)

/** Finds the reference to a work, even if the work was withdrawn. */
export async function findWorkRef(
  db: Database,
  kind: WorkKind,
  id: number,
): Promise<(WorkRef & { nsfw: boolean }) | undefined> {
  const row = await queryRow(db, WORK_REF, [id, kind])
  return row?.work ? { ...row.work, nsfw: row.nsfw } : undefined
}
