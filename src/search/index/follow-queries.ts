import { tryHoldLock } from '../../db/advisory-locks.ts'
import { inLongTransaction } from '../../db/server/long-transaction.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { BATCH, indexTouched } from './touched-queries.ts'
import { saveReaders, sortInGrams } from './write-queries.ts'

export const LAST_FOLLOWED = `select id from search_progress where name = 'changes'`

const NEXT = statement('search.next').returning<{ id: number; kind: string; resource_id: number }>(`
  select id, resource_type as kind, resource_id
  from catalog_changes
  where id > (${LAST_FOLLOWED})
  order by id
  limit ${BATCH}`)
const MOVE = statement('search.follow_move').sql(
  `update search_progress set id = $1 where name = 'changes'`,
)

/** Milliseconds a statement may take behind the requests: a batch that never ended in time would be begun again for ever. */
const DEADLINE_MS = 30_000

/** Does a batch of work unless another process, or an import, writes the index. @returns how much it did */
export const inTurn = (db: Database, work: (trx: Database) => Promise<number>): Promise<number> =>
  inLongTransaction(db, DEADLINE_MS, async (trx) =>
    (await tryHoldLock(trx, 'searchIndex')) ? work(trx) : 0,
  )

/**
 * Indexes the entries that the change feed tells of next: what others than imports have written.
 *
 * @returns the number of changes; 0 when there are none, or it is another's turn
 */
export const followChangedNames = (db: Database): Promise<number> =>
  inTurn(db, async (trx) => {
    const changes = await queryRows(trx, NEXT, [])
    const last = changes.at(-1)
    if (!last) return 0
    const touched = Map.groupBy(changes, ({ kind }) => kind)
    await indexTouched(
      trx,
      new Map(
        [...touched].map(([kind, of]) => [
          kind,
          [...new Set(of.map(({ resource_id }) => resource_id))],
        ]),
      ),
    )
    await queryRows(trx, MOVE, [last.id])
    await sortInGrams(trx)
    return changes.length
  })

/** Takes over readers that have changed. @returns how many entries had */
export const followListings = (db: Database): Promise<number> =>
  inTurn(db, async (trx) => {
    const saved = await saveReaders(trx, BATCH)
    if (saved > 0) await sortInGrams(trx)
    return saved
  })
