import { workRef, workReference } from '../../../catalog/sql-fragments.ts'
import type { WorkKind } from '../../../catalog/kinds.ts'
import { queryRows } from '../../../db/query.ts'
import { statement } from '../../../db/statement.ts'
import type { Database } from '../../../db/database.ts'
import { offsetAndLimit, type Page } from '../../../http/wire/requests/paging.ts'
import type { Status } from '../../fields.ts'
import { byViewer, VISIBLE_TO, type Viewer } from './visibility-fragments.ts'
import type { WorkRef } from '../queries.ts'

/** The orders of a reader's list, the usual one first. */
const ORDERS = {
  recent: 'rating.updated_at desc, rating.work_id desc',
  score: 'rating.rate desc nulls last, rating.updated_at desc, rating.work_id desc',
  name: 'rating.name nulls last, rating.work_id',
  date: 'rating.released desc nulls last, rating.work_id desc',
} as const
export type LibraryOrder = keyof typeof ORDERS
// as: the keys of that very object
export const LIBRARY_ORDERS = Object.keys(ORDERS) as LibraryOrder[]

/** What a list is narrowed by; undefined where it does not matter. */
export type LibraryFilter = {
  /** Null: records of scores alone. */
  status: Status | null | undefined
  kind: WorkKind | undefined
  /** Part of a title. */
  title: string | undefined
}

/** A record as the reader's list shows it. */
export type LibraryItem = {
  kind: WorkKind
  work_id: number
  /** Null: the catalog has forgotten the work. */
  work: WorkRef | null
  /** Of the work, where it is known. */
  year: string | null
  /** Whether the work is for adults: it may be on the list of a reader to whom such works are not shown. */
  nsfw: boolean
  status: Status | null
  rate: number | null
  status_private: boolean
  has_review: boolean
  updated_at: Date
}

const ofKindAndTitle = (looker: Viewer) => `
  rating.account_id = $1${VISIBLE_TO[looker]}
    and ($2::text is null or rating.kind = $2)
    and ($3::text is null or strpos(listing.name, fold_name($3)) > 0)`

const FROM = `
  from ratings rating
  left join listings listing on listing.kind = rating.kind and listing.id = rating.work_id`

const list = (name: LibraryOrder, looker: Viewer) => {
  const order = ORDERS[name]
  return statement(`ratings.list_${looker}_library_by_${name}`).returning<LibraryItem>(`
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
      where ${ofKindAndTitle(looker)} and (not $4::boolean or rating.status is not distinct from $5)
    ) rating
    order by ${order}
    offset $6 limit $7
  ) rating
  left join lateral (${workReference('rating.work_id', 'rating.kind')}) work on true
  order by ${order}`)
}

const LISTS = byViewer((looker) => ({
  recent: list('recent', looker),
  score: list('score', looker),
  name: list('name', looker),
  date: list('date', looker),
}))

const COUNTS = byViewer((looker) =>
  statement(`ratings.count_${looker}_library`).returning<{ status: Status | null; amount: number }>(
    `select rating.status, count(*) as amount ${FROM} where ${ofKindAndTitle(looker)} group by rating.status`,
  ),
)

/** One page of a reader's records, as they see it themselves or others do. */
export function listLibrary(
  db: Database,
  accountId: number,
  { status, kind, title }: LibraryFilter,
  order: LibraryOrder,
  page: Page,
  looker: Viewer = 'own',
): Promise<LibraryItem[]> {
  const { offset, limit } = offsetAndLimit(page)
  return queryRows(db, LISTS[looker][order], [
    accountId,
    kind ?? null,
    title ?? null,
    status !== undefined,
    status ?? null,
    offset,
    limit,
  ])
}

/** How many records a reader has in each status, of one kind and with such a title where these are given. */
export async function countLibrary(
  db: Database,
  accountId: number,
  { kind, title }: Pick<LibraryFilter, 'kind' | 'title'>,
  looker: Viewer = 'own',
): Promise<Map<Status | null, number>> {
  const rows = await queryRows(db, COUNTS[looker], [accountId, kind ?? null, title ?? null])
  return new Map(rows.map(({ status, amount }) => [status, amount]))
}

const MARKS = statement('ratings.marks').returning<{ work_id: number; status: Status | null }>(
  'select rating.work_id, rating.status from ratings rating where rating.account_id = $1 and rating.work_id = any($2)',
)

/** Those of the works that a reader has a record of, with its status. */
export async function listMarks(
  db: Database,
  accountId: number,
  works: number[],
): Promise<Map<number, Status | null>> {
  const rows = await queryRows(db, MARKS, [accountId, works])
  return new Map(rows.map(({ work_id, status }) => [work_id, status]))
}

const WORK_REF = statement('ratings.work_ref').returning<{ work: WorkRef | null; nsfw: boolean }>(`
  select
    ${workRef('wanted.id', 'wanted.kind')} as work,
    exists (select from listings listing where listing.kind = $2 and listing.id = $1 and listing.nsfw) as nsfw
  from (select $1::bigint as id, $2::text as kind) wanted`)

/** What the catalog calls a work, also one that was withdrawn; undefined when there was never one. */
export async function findWorkRef(
  db: Database,
  kind: WorkKind,
  id: number,
): Promise<(WorkRef & { nsfw: boolean }) | undefined> {
  const [row] = await queryRows(db, WORK_REF, [id, kind])
  return row?.work ? { ...row.work, nsfw: row.nsfw } : undefined
}
