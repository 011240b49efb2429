import { holdLock } from '../../db/advisory-locks.ts'
import { queryRow, queryRows, queryText } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { ENTRY_KINDS } from '../../catalog/kinds.ts'
import { IndexWriter } from './index-writer-queries.ts'
import { analyzeIndex, raiseWriteMemory, flushPendingGrams } from './write-queries.ts'

/** Number of entries processed per update of the index. */
export const BATCH_SIZE = 500

/** Number of entries whose rows are built at once. The names of all these entries are in memory. */
const ROWS_PER_WRITE = 200

/** Minimum number of changed entries after which the index is analyzed. */
const MIN_ENTRIES_FOR_ANALYZE = 5_000

/** SQL for credits under a name other than the person's own. */
const CREDITS = `(
    select galgame_id, person_id from galgame_staff where credited_as is not null
    union all
    select galgame_id, person_id from galgame_character_actors where credited_as is not null
  )`

/** People whose credits this transaction may have deleted. */
const CREATE_CREDITED_PEOPLE = statement('search.make_credited').sql(
  'create temporary table if not exists credited_people (id bigint primary key) on commit drop',
)

/**
 * Stores the people credited under other names before an import rewrites the credits, because a person is no longer
 * found by a name that no credit uses.
 *
 * @param works SQL for the ids of galgames
 */
export async function rememberCredited(trx: Database, works: string): Promise<void> {
  await queryRows(trx, CREATE_CREDITED_PEOPLE, [])
  await queryText(
    trx,
    `insert into credited_people
     select distinct person_id from ${CREDITS} credit where galgame_id in (${works})
     on conflict do nothing`,
    [],
  )
}

const DROP_TOUCHED = statement('search.drop_touched').sql('drop table if exists touched_names')

/** Creates `touched_names`: the entries changed by this transaction. */
const TOUCHED = statement('search.touched').sql(`
  create temporary table touched_names on commit drop as
  select distinct resource_type as kind, resource_id as id
  from catalog_changes_due
  where transaction_id = pg_current_xact_id()
    and resource_type in (${ENTRY_KINDS.map((kind) => `'${kind}'`).join(', ')})`)

const ADD_KEY = statement('search.add_key').sql(
  'alter table touched_names add primary key (kind, id)',
)

const ANALYZE_TOUCHED = statement('search.analyze_touched').sql('analyze touched_names')

/** Adds the people whom the touched works credit under other names, now or before the change. */
const ADD_CREDITED = statement('search.add_credited').sql(`
  insert into touched_names
  select 'person', credit.person_id
  from touched_names work
  join ${CREDITS} credit on credit.galgame_id = work.id
  where work.kind = 'galgame'
  union
  select 'person', id from credited_people
  on conflict do nothing`)

const COUNT_TOUCHED = statement('search.count_touched').returning<{ entries: number }>(
  'select count(*) as entries from touched_names',
)

const NEXT_TOUCHED = statement('search.next_touched').returning<{ id: number }>(`
  select id from touched_names where kind = $1 and id > $2::bigint order by id limit ${ROWS_PER_WRITE}`)

/** A person is also found by the names used in credits. */
const CREDITED = statement('search.credited').returning<{ ids: number[] | null }>(`
  select array_agg(distinct person_id order by person_id) as ids
  from ${CREDITS} credit
  where galgame_id = any($1::bigint[])`)

/** Rewrites the rows of entries, and of the people whom they credit under other names. */
export async function indexEntries(trx: Database, touched: Map<string, number[]>): Promise<void> {
  const works = touched.get('galgame') ?? []
  const credited = works.length > 0 ? await queryRow(trx, CREDITED, [works]) : undefined
  const people = [...new Set([...(touched.get('person') ?? []), ...(credited?.ids ?? [])])]
  const writer = new IndexWriter(trx, { trustsHashes: true })
  for (const kind of ENTRY_KINDS) {
    const ids = kind === 'person' ? people : (touched.get(kind) ?? [])
    for (let begin = 0; begin < ids.length; begin += ROWS_PER_WRITE)
      await writer.write(kind, ids.slice(begin, begin + ROWS_PER_WRITE))
  }
  await writer.flush()
}

/**
 * Rewrites the rows of all entries changed so far by a transaction, as recorded by the catalog's triggers. The index
 * is therefore up to date as soon as the transaction commits.
 *
 * @param onProgress called between batches with the number of entries written and their total
 */
export async function indexTransaction(
  trx: Database,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<void> {
  await queryRows(trx, CREATE_CREDITED_PEOPLE, [])
  await queryRows(trx, DROP_TOUCHED, [])
  await queryRows(trx, TOUCHED, [])
  await queryRows(trx, ADD_KEY, [])
  // Without statistics, the planner compares each touched work with every credit.
  await queryRows(trx, ANALYZE_TOUCHED, [])
  await queryRows(trx, ADD_CREDITED, [])
  const { entries = 0 } = (await queryRow(trx, COUNT_TOUCHED, [])) ?? {}
  await holdLock(trx, 'searchIndex')
  await raiseWriteMemory(trx)
  const writer = new IndexWriter(trx, { trustsHashes: true })
  let done = 0
  for (const kind of ENTRY_KINDS)
    for (let last = 0; ;) {
      onProgress(done, entries)
      const rows = await queryRows(trx, NEXT_TOUCHED, [kind, last])
      if (rows.length === 0) break
      await writer.write(
        kind,
        rows.map(({ id }) => id),
      )
      done += rows.length
      last = rows.at(-1)?.id ?? last
    }
  await writer.flush()
  await flushPendingGrams(trx)
  if (entries >= MIN_ENTRIES_FOR_ANALYZE) await analyzeIndex(trx)
}
