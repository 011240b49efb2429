import type { Database } from '../../../db/database.ts'
import {
  metaOfPage,
  offsetAndLimit,
  pageOfCollection,
  type PageQuery,
} from '../../../http/wire/requests/paging.ts'
import { validationError } from '../../../http/wire/errors/refusals.ts'
import { listItems } from './list-queries.ts'
import { findWalk, startWalk, type WalkKey } from './walk-queries.ts'

export const badWalkCursor = () =>
  validationError([{ field: 'cursor', kind: 'cursor', code: 'cursor.expired' }])

/**
 * Returns a page of a user's ratings as JSON. The first page fixes the order for later pages, so that a rating that is
 * added, changed or deleted in the meantime does not shift other ratings (decision 0013).
 *
 * @param options.notes whether the caller may read private notes
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` if the cursor is invalid
 */
export async function ratingPage(
  db: Database,
  key: WalkKey,
  {
    cursor,
    include,
    ...query
  }: PageQuery & { cursor?: string | undefined; include?: string | undefined },
  options: { notes: boolean; isDistributed: boolean },
): Promise<string> {
  const from = cursor === undefined ? undefined : readCursor(cursor)
  const requested = pageOfCollection(query)
  const { pageSize } = requested
  const offset = from?.offset ?? offsetAndLimit(requested).offset
  const window = { offset, limit: pageSize }
  const existing =
    from || requested.page > 1 ? await findWalk(db, key, window, from?.walk ?? null) : undefined
  if (from && !existing) throw badWalkCursor()
  const { id, total, work_ids } = existing ?? (await startWalk(db, key, window))
  const { items, item_count } = await listItems(db, key.accountId, work_ids, {
    ...options,
    progress: include === 'progress',
  })
  const page = from ? { page: Math.floor(offset / pageSize) + 1, pageSize } : requested
  const end = offset + pageSize
  const next = id !== null && end < total ? writeCursor({ walk: id, offset: end }) : null
  const meta = JSON.stringify(metaOfPage(item_count, page, total))
  return `{"items":${items},"meta":${meta},"next_cursor":${JSON.stringify(next)}}`
}

type Cursor = { walk: number; offset: number }

const writeCursor = ({ walk, offset }: Cursor) => `${walk.toString(36)}-${offset.toString(36)}`

function readCursor(text: string): Cursor {
  const [, walkText = '', offsetText = ''] = /^([\da-z]{1,11})-([\da-z]{1,6})$/.exec(text) ?? []
  const [walk, offset] = [Number.parseInt(walkText, 36), Number.parseInt(offsetText, 36)]
  if (!Number.isSafeInteger(walk) || !Number.isSafeInteger(offset)) throw badWalkCursor()
  return { walk, offset }
}
