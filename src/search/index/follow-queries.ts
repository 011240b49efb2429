import { tryHoldLock } from '../../db/advisory-locks.ts'
import { inLongTransaction } from '../../db/server/long-transaction.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { BATCH_SIZE, indexEntries } from './touched-queries.ts'
import { saveReaders, flushPendingGrams } from './write-queries.ts'

export const LAST_INDEXED_CHANGE = `select id from search_progress where name = 'changes'`

const NEXT_CHANGES = statement('search.next').returning<{
  id: number
  kind: string
  resource_id: number
}>(`
  select id, resource_type as kind, resource_id
  from catalog_changes
  where id > (${LAST_INDEXED_CHANGE})
  order by id
  limit ${BATCH_SIZE}`)
const SAVE_POSITION = statement('search.follow_move').sql(
  `update search_progress set id = $1 where name = 'changes'`,
)

/** Statement timeout of index updates, in milliseconds. A batch that always exceeded it would be retried forever. */
const STATEMENT_TIMEOUT_MS = 30_000

/**
 * Runs a batch of work unless another process or an import is writing the index.
 *
 * @returns the amount of work done; 0 if the index is locked
 */
export const withIndexLock = (
  db: Database,
  work: (trx: Database) => Promise<number>,
): Promise<number> =>
  inLongTransaction(db, STATEMENT_TIMEOUT_MS, async (trx) =>
    (await tryHoldLock(trx, 'searchIndex')) ? work(trx) : 0,
  )

/**
 * Indexes the entries of the next changes in the change feed, except for changes from imports.
 *
 * @returns the number of changes; 0 if none are left or the index is locked
 */
export const indexNextChanges = (db: Database): Promise<number> =>
  withIndexLock(db, async (trx) => {
    const changes = await queryRows(trx, NEXT_CHANGES, [])
    const last = changes.at(-1)
    if (!last) return 0
    const touched = Map.groupBy(changes, ({ kind }) => kind)
    await indexEntries(
      trx,
      new Map(
        [...touched].map(([kind, of]) => [
          kind,
          [...new Set(of.map(({ resource_id }) => resource_id))],
        ]),
      ),
    )
    await queryRows(trx, SAVE_POSITION, [last.id])
    await flushPendingGrams(trx)
    return changes.length
  })

/**
 * Updates entries whose number of users has changed.
 *
 * @returns the number of entries
 */
export const indexReaderCounts = (db: Database): Promise<number> =>
  withIndexLock(db, async (trx) => {
    const saved = await saveReaders(trx, BATCH_SIZE)
    if (saved > 0) await flushPendingGrams(trx)
    return saved
  })
