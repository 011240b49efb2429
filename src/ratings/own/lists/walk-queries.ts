import { kindOfWorkType } from '../../../catalog/work-types.ts'
import { queryRows } from '../../../db/query.ts'
import type { Database } from '../../../db/database.ts'
import type { RatingsFilter } from '../schemas.ts'
import {
  FIND_LATEST_WALK,
  FIND_WALK,
  LIST_RATINGS_OF,
  START_WALK,
  type Walk,
} from './list-statements.ts'

/** Identifies a walk: the account, the app that pages through its records, and the filter. */
export type WalkKey = { accountId: number; clientId: string; filter: RatingsFilter }

type Window = { offset: number; limit: number }

const filterOf = ({ status, work_type, scored }: RatingsFilter) =>
  [status ?? null, kindOfWorkType(work_type) ?? null, scored ?? null] as const

/** Stores the current order of the records, last changed first, for this page and later ones. */
export async function startWalk(
  db: Database,
  key: WalkKey,
  { offset, limit }: Window,
): Promise<Walk> {
  const filter = filterOf(key.filter)
  const [walk] = await queryRows(db, START_WALK, [
    key.accountId,
    ...filter,
    key.clientId,
    JSON.stringify(filter),
    offset,
    limit,
  ])
  return walk ?? { id: null, total: 0, work_ids: [] }
}

/**
 * Finds an existing walk.
 *
 * @param id null for the app's latest walk, if it began recently
 */
export async function findWalk(
  db: Database,
  key: WalkKey,
  { offset, limit }: Window,
  id: number | null,
): Promise<Walk | undefined> {
  const parameters = [
    key.accountId,
    key.clientId,
    JSON.stringify(filterOf(key.filter)),
    offset,
    limit,
  ] as const
  const [walk] = await (id === null
    ? queryRows(db, FIND_LATEST_WALK, parameters)
    : queryRows(db, FIND_WALK, [...parameters, id]))
  return walk
}

/** Returns a reader's current records of these works as a JSON array. Works without a record are left out. */
export async function listRatingsOf(
  db: Database,
  accountId: number,
  workIds: number[],
): Promise<{ items: string; item_count: number }> {
  const [list] = await queryRows(db, LIST_RATINGS_OF, [accountId, workIds])
  return list ?? { items: '[]', item_count: 0 }
}
