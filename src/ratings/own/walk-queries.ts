import { kindOfWorkType } from '../../catalog/work-types.ts'
import { queryRows } from '../../db/query.ts'
import type { Database } from '../../db/database.ts'
import type { RatingsFilter } from './schemas.ts'
import { FIND_LATEST_WALK, FIND_WALK, LIST_RATINGS_OF, START_WALK } from './list-statements.ts'

/** Identifies a walk: the account, the app that pages through its records, and the filter. */
export type WalkKey = { accountId: number; clientId: string; filter: RatingsFilter }

/** A window of the works of a walk. `id` is null if the window holds all of them. */
export type Walk = { id: number | null; total: number; work_ids: number[] }

type Window = { offset: number; limit: number }

const filterOf = ({ status, work_type, scored }: RatingsFilter) => [
  status ?? null,
  kindOfWorkType(work_type) ?? null,
  scored ?? null,
]

/** Takes the order the records have now, the last changed first, for this page and those after it. */
export async function startWalk(db: Database, key: WalkKey, { offset, limit }: Window): Promise<Walk> {
  const filter = filterOf(key.filter)
  const parameters = [key.accountId, ...filter, key.clientId, JSON.stringify(filter), offset, limit]
  const [walk] = await queryRows<Walk>(db, START_WALK, parameters)
  return walk ?? { id: null, total: 0, work_ids: [] }
}

/**
 * A walk that was begun before.
 *
 * @param id null: the latest of these records, if the app began it a short time ago
 */
export async function findWalk(
  db: Database,
  key: WalkKey,
  { offset, limit }: Window,
  id: number | null,
): Promise<Walk | undefined> {
  const parameters = [key.accountId, key.clientId, JSON.stringify(filterOf(key.filter)), offset, limit]
  const [walk] = await (id === null
    ? queryRows<Walk>(db, FIND_LATEST_WALK, parameters)
    : queryRows<Walk>(db, FIND_WALK, [...parameters, id]))
  return walk
}

/** A reader's records of these works as they are now, as a JSON array. Works without a record are left out. */
export async function listRatingsOf(
  db: Database,
  accountId: number,
  workIds: number[],
): Promise<{ items: string; item_count: number }> {
  const [list] = await queryRows<{ items: string; item_count: number }>(db, LIST_RATINGS_OF, [
    accountId,
    workIds,
  ])
  return list ?? { items: '[]', item_count: 0 }
}
