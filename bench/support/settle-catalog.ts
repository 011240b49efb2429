import { sql } from 'kysely'
import { snapshotIfPending, numberChanges } from '../../src/catalog/changes/sequencer-queries.ts'
import type { Database } from '../../src/db/database.ts'
import { inLongTransaction, runLongStatement } from '../../src/db/server/long-transaction.ts'
import { MAX_SIMILAR } from '../../src/similar/compute-queries.ts'

/** Number of sequencer passes between two vacuums. */
const PASSES_PER_VACUUM = 50

/**
 * Does the pending background work of a catalog that has just been imported and rated, so that no work is due during
 * the measurement. Numbers the changes; the import has already written lists and names. Draws twenty similar works of
 * the same kind at random for each work, because computing them for a million works takes hours.
 */
export async function settleCatalog(db: Database) {
  await numberAll(db)
  await inLongTransaction(db, Infinity, async (trx) => {
    await sql`set local work_mem = '256MB'`.execute(trx)
    for (const text of BACKGROUND_STATEMENTS) await sql.raw(text).execute(trx)
    const { rows } = await sql`select from similar_works limit 1`.execute(trx)
    if (rows.length === 0) await sql.raw(DRAW_SIMILAR).execute(trx)
  })
  await runLongStatement(db, 'vacuum analyze')
}

async function numberAll(db: Database) {
  for (let pass = 1; ; pass += 1) {
    const snapshot = await snapshotIfPending(db)
    if (snapshot === undefined) return
    await numberChanges(db, snapshot)
    if (pass % PASSES_PER_VACUUM === 0) await runLongStatement(db, 'vacuum catalog_changes_due')
  }
}

const LAST_CHANGE = '(select coalesce(max(id), 0) from catalog_changes)'
const BACKGROUND_STATEMENTS = [
  `update listing_positions set position = ${LAST_CHANGE} where name = 'changes'`,
  `update search_progress set id = ${LAST_CHANGE} where name = 'changes'`,
  `update similar_position set change_id = ${LAST_CHANGE}, works = (select count(*) from works)`,
  'truncate similar_due',
]

const DRAW_SIMILAR = `
  with ordered as (
    select id, kind, row_number() over (partition by kind order by id) - 1 as place, count(*) over (partition by kind) as works
    from works
  )
  insert into similar_works (work_id, similar_ids, reasons, likes, computed_at)
  select work.id, array_agg(hit.id order by number), array_agg('TAGS'::text), 0, now()
  from ordered work
  cross join generate_series(1, ${MAX_SIMILAR}) number
  join ordered hit on hit.kind = work.kind and hit.place = (work.place * 31 + number * 7919) % work.works
  where hit.id <> work.id
  group by work.id`
