import { queryRows } from '../../db/query.ts'
import type { Database } from '../../db/database.ts'
import { ENTRY_KINDS, type EntryKind } from '../../catalog/kinds.ts'
import { analyzeIndex, indexChanged, lockIndex, prepareToWriteMany, sortInGrams } from './write-queries.ts'

/** Entries that are taken at once by those who follow. */
export const BATCH = 500

/** Entries whose rows are made at once: their names are in memory together. */
const ROWS_AT_ONCE = 200

/** Entries changed by so few are found fast enough as they are. */
const MANY = 5_000

const TOUCHED = `
  select resource_type as kind, array_agg(distinct resource_id order by resource_id) as ids
  from catalog_changes_due
  where transaction_id = pg_current_xact_id()
  group by resource_type`

/** People are found by the names under which works credit them. */
const CREDITED = `
  select array_agg(distinct person_id order by person_id) as ids
  from (
    select person_id from galgame_staff where galgame_id = any($1::bigint[]) and credited_as is not null
    union all
    select person_id from galgame_character_actors where galgame_id = any($1::bigint[]) and credited_as is not null
  ) credited`

/** Writes the rows of these entries anew, and of the people they credit under other names. */
export async function indexTouched(
  trx: Database,
  touched: Map<string, number[]>,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<void> {
  const works = touched.get('galgame') ?? []
  const [credited] = works.length > 0 ? await queryRows<{ ids: number[] | null }>(trx, CREDITED, [works]) : []
  const people = [...new Set([...(touched.get('person') ?? []), ...(credited?.ids ?? [])])]
  const idsByKind = ENTRY_KINDS.map((kind): [EntryKind, number[]] => [
    kind,
    kind === 'person' ? people : (touched.get(kind) ?? []),
  ])
  const total = idsByKind.reduce((sum, [, ids]) => sum + ids.length, 0)
  let done = 0
  for (const [kind, ids] of idsByKind)
    for (let begin = 0; begin < ids.length; begin += ROWS_AT_ONCE) {
      onProgress(done, total)
      const batch = ids.slice(begin, begin + ROWS_AT_ONCE)
      await indexChanged(trx, kind, batch)
      done += batch.length
    }
  onProgress(done, total)
}

/**
 * Writes the rows of all entries that a transaction has touched so far, as the catalog's triggers noted them: the index is
 * current in the very commit.
 *
 * @param onProgress is called with the entries written so far and all there are, between batches
 */
export async function indexTransaction(
  trx: Database,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<void> {
  const rows = await queryRows<{ kind: string; ids: number[] }>(trx, TOUCHED, [])
  await lockIndex(trx)
  await prepareToWriteMany(trx)
  await indexTouched(trx, new Map(rows.map(({ kind, ids }) => [kind, ids])), onProgress)
  await sortInGrams(trx)
  if (rows.reduce((sum, { ids }) => sum + ids.length, 0) >= MANY) await analyzeIndex(trx)
}
