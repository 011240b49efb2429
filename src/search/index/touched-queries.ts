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
export async function indexTouched(trx: Database, touched: Map<string, number[]>): Promise<void> {
  const works = touched.get('galgame') ?? []
  const [credited] = works.length > 0 ? await queryRows<{ ids: number[] | null }>(trx, CREDITED, [works]) : []
  const people = [...new Set([...(touched.get('person') ?? []), ...(credited?.ids ?? [])])]
  for (const kind of ENTRY_KINDS)
    await indexMany(trx, kind, kind === 'person' ? people : (touched.get(kind) ?? []))
}

async function indexMany(trx: Database, kind: EntryKind, ids: number[]) {
  for (let begin = 0; begin < ids.length; begin += ROWS_AT_ONCE)
    await indexChanged(trx, kind, ids.slice(begin, begin + ROWS_AT_ONCE))
}

/**
 * Writes the rows of all entries that a transaction has touched so far, as the catalog's triggers noted them: the index is
 * current in the very commit.
 */
export async function indexTransaction(trx: Database): Promise<void> {
  const rows = await queryRows<{ kind: string; ids: number[] }>(trx, TOUCHED, [])
  await lockIndex(trx)
  await prepareToWriteMany(trx)
  await indexTouched(trx, new Map(rows.map(({ kind, ids }) => [kind, ids])))
  await sortInGrams(trx)
  if (rows.reduce((sum, { ids }) => sum + ids.length, 0) >= MANY) await analyzeIndex(trx)
}
