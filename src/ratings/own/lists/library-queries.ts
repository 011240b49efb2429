import { keysOf, recordOf } from '../../../kernel/typed-records.ts'
import { workRefSql, workRefRowsSql, workTitlesSql } from '../../../catalog/sql-fragments.ts'
import type { WorkKind } from '../../../catalog/kinds.ts'
import { queryRow, queryRows } from '../../../db/query.ts'
import { statement } from '../../../db/statement.ts'
import type { Database } from '../../../db/database.ts'
import { offsetAndLimit, type Page } from '../../../http/wire/requests/paging.ts'
import { STATUSES, type Status } from '../../fields.ts'
import { byViewer, VISIBLE_TO, type Viewer } from './visibility-fragments.ts'
import type { WorkRef } from '../../../catalog/work-refs.ts'

/** Sort orders of a user's list, the default first. */
const ORDERS = {
  recent: 'rating.updated_at desc, rating.work_id desc',
  score: 'rating.rate desc nulls last, rating.updated_at desc, rating.work_id desc',
  name: 'rating.name nulls last, rating.work_id',
  date: 'rating.released desc nulls last, rating.work_id desc',
} as const
export type LibraryOrder = keyof typeof ORDERS
export const LIBRARY_ORDERS = keysOf(ORDERS)

export type LibraryFilter = {
  /** Null selects ratings without a status. */
  status: Status | null | undefined
  kind: WorkKind | undefined
  title: string | undefined
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
}

/** The name of the listing is folded. Pages may show any of the titles. */
const ofKindAndTitle = (viewer: Viewer) => `
  rating.account_id = $1${VISIBLE_TO[viewer]}
    and ($2::text is null or rating.kind = $2)
    and (
      $3::text is null
      or strpos(listing.name, fold_name($3)) > 0
      or strpos(lower(${workTitlesSql('rating.work_id', 'rating.kind')}), lower($3)) > 0
    )`

const FROM = `
  from ratings rating
  left join listings listing on listing.kind = rating.kind and listing.id = rating.work_id`

/** Orders the groups of a list as its tabs; ratings without a status come last. */
const BY_STATUS = `array_position(array[${STATUSES.map((status) => `'${status}'`).join(', ')}], rating.status)`

const listSql = (viewer: Viewer, order: string) => `
  select
    rating.kind, rating.work_id, work.reference as work,
    case when isfinite(rating.released) then to_char(rating.released, 'YYYY') end as year,
    coalesce(rating.nsfw, false) as nsfw,
    rating.status, rating.rate, rating.status_private, rating.has_review, rating.updated_at
  from (
    select *
    from (
      select
        rating.kind, rating.work_id, rating.status, rating.rate, rating.status_private, rating.updated_at,
        rating.rate_content <> '' as has_review, listing.name, listing.released, listing.nsfw
      ${FROM}
      where ${ofKindAndTitle(viewer)} and (not $4::boolean or rating.status is not distinct from $5)
    ) rating
    order by ${order}
    offset $6 limit $7
  ) rating
  left join lateral (${workRefRowsSql('rating.work_id', 'rating.kind')}) work on true
  order by ${order}`

const LISTS = byViewer((viewer) =>
  recordOf(LIBRARY_ORDERS, (name) =>
    statement(`ratings.library_for_${viewer}_by_${name}`).returning<LibraryItem>(
      listSql(viewer, ORDERS[name]),
    ),
  ),
)

const GROUPED_LISTS = recordOf(LIBRARY_ORDERS, (name) =>
  statement(`ratings.library_in_groups_by_${name}`).returning<LibraryItem>(
    listSql('owner', `${BY_STATUS}, ${ORDERS[name]}`),
  ),
)

const COUNTS = byViewer((viewer) =>
  statement(`ratings.library_counts_for_${viewer}`).returning<{
    status: Status | null
    amount: number
  }>(
    `select rating.status, count(*) as amount ${FROM} where ${ofKindAndTitle(viewer)} group by rating.status`,
  ),
)

export const listLibrary = (
  db: Database,
  accountId: number,
  filter: LibraryFilter,
  order: LibraryOrder,
  page: Page,
  viewer: Viewer = 'owner',
): Promise<LibraryItem[]> =>
  queryRows(db, LISTS[viewer][order], listParameters(accountId, filter, page))

/** Lists the user's own works by status, and in the given order within each status. */
export const listLibraryByStatus = (
  db: Database,
  accountId: number,
  filter: LibraryFilter,
  order: LibraryOrder,
  page: Page,
): Promise<LibraryItem[]> =>
  queryRows(db, GROUPED_LISTS[order], listParameters(accountId, filter, page))

function listParameters(accountId: number, { status, kind, title }: LibraryFilter, page: Page) {
  const { offset, limit } = offsetAndLimit(page)
  return [
    accountId,
    kind ?? null,
    title ?? null,
    status !== undefined,
    status ?? null,
    offset,
    limit,
  ] as const
}

export async function countLibrary(
  db: Database,
  accountId: number,
  { kind, title }: Pick<LibraryFilter, 'kind' | 'title'>,
  viewer: Viewer = 'owner',
): Promise<Map<Status | null, number>> {
  const rows = await queryRows(db, COUNTS[viewer], [accountId, kind ?? null, title ?? null])
  return new Map(rows.map(({ status, amount }) => [status, amount]))
}

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
