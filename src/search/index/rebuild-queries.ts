import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { withDeadline } from '../../db/server/deadlines.ts'
import { byKind, ENTRY_KINDS, KINDS, type EntryKind } from '../../catalog/kinds.ts'
import { withIndexLock } from './follow-queries.ts'
import { END_MARK as END_OF_NAME } from './index-row.ts'
import { IndexWriter } from './index-writer-queries.ts'
import { sectionsOf } from './sections.ts'
import { BATCH_SIZE } from './touched-queries.ts'
import { raiseWriteMemory } from './write-queries.ts'

const BEGIN = statement('search.begin').sql(
  `insert into search_progress (name) values ('rebuild') on conflict do nothing returning name`,
)

/** Starts a rebuild of the whole index, or resumes an unfinished one. */
export async function beginRebuild(db: Database): Promise<'begun' | 'resumed'> {
  const rows = await queryRows(db, BEGIN, [])
  return rows.length > 0 ? 'begun' : 'resumed'
}

const POSITION = statement('search.position').returning<{ kind: number; id: number }>(
  `select kind, id from search_progress where name = 'rebuild'`,
)

export const isRebuilding = async (db: Database): Promise<boolean> =>
  (await queryRow(db, POSITION, [])) !== undefined

const SAVE_POSITION = statement('search.rebuild_move').sql(
  `update search_progress set kind = $1, id = $2 where name = 'rebuild'`,
)
const END = statement('search.end').sql(`delete from search_progress where name = 'rebuild'`)
/** Computes bucket keys as `firstBucketKey` does. */
const DELETE_STALE_BUCKETS = statement('search.forget_buckets').sql(`
  delete from search_buckets noted
  where not exists (
    select from search_entries
    where grams @> array[((noted.section::integer << 28) | (1 << 27)) + noted.bucket]
  )`)
/**
 * Deletes words that no longer occur in any name. `toIndexRow` defines the words of a row. The statement compares two
 * whole sets, because the planner underestimates the split names and would search all of them for each word.
 */
const DELETE_STALE_WORDS = statement('search.forget_words').sql(`
  delete from search_words
  where word = any (array(
    select word from search_words
    except
    (
      select substr(name, 2) collate "C" from search_entries, string_to_table(names, '${END_OF_NAME}') as name
      union all
      select word collate "C" from search_entries, string_to_table(words, ' ') as word
    )
  ))`)
/** Statements that read the whole index exceed the timeout that applies to requests. */
const DISABLE_STATEMENT_TIMEOUT = statement('search.as_long_as_it_takes').sql(
  'set local statement_timeout = 0',
)
const DELETE_STALE_ROWS = statement('search.forget').sql(`
  delete from search_entries
  where section = any($1::smallint[]) and id > $2 and ($3::bigint is null or id <= $3) and id <> all ($4::bigint[])`)

/**
 * Rewrites the next batch of a running rebuild.
 *
 * @returns the number of processed entries and completed kinds; 0 if the rebuild is done or the index is locked
 */
export const rebuildNextBatch = (db: Database): Promise<number> =>
  withIndexLock(db, async (trx) => {
    const position = await queryRow(trx, POSITION, [])
    if (!position) return 0
    const kind = ENTRY_KINDS[position.kind]
    if (!kind) {
      await withDeadline(Infinity, async () => {
        for (const step of [DISABLE_STATEMENT_TIMEOUT, DELETE_STALE_BUCKETS, DELETE_STALE_WORDS])
          await queryRows(trx, step, [])
      })
      await queryRows(trx, END, [])
      return 0
    }
    const ids = await nextIds(trx, kind, position.id)
    const last = ids.length === BATCH_SIZE ? (ids.at(-1) ?? null) : null
    await raiseWriteMemory(trx)
    await queryRows(trx, DELETE_STALE_ROWS, [sectionsOf(kind), position.id, last, ids])
    const writer = new IndexWriter(trx, { trustsHashes: false })
    await writer.write(kind, ids)
    await writer.flush()
    await queryRows(
      trx,
      SAVE_POSITION,
      last === null ? [position.kind + 1, 0] : [position.kind, last],
    )
    return ids.length + 1
  })

const NEXT_IDS = byKind((kind) =>
  statement(`search.next_ids_of_${kind}`).returning<{ id: number }>(
    `select id from ${KINDS[kind].table} where id > $1 order by id limit ${BATCH_SIZE}`,
  ),
)

async function nextIds(trx: Database, kind: EntryKind, after: number): Promise<number[]> {
  const rows = await queryRows(trx, NEXT_IDS[kind], [after])
  return rows.map(({ id }) => id)
}

const count = (kind: EntryKind, index: number) => `
  select
    count(*) as whole,
    count(*) filter (where position.kind > ${index} or (position.kind = ${index} and entry.id <= position.id)) as done
  from ${KINDS[kind].table} entry left join search_progress position on position.name = 'rebuild'`

const PROGRESS = statement('search.progress').returning<{ whole: number; done: number }>(`
  select
    sum(whole) as whole,
    case when exists (select from search_progress where name = 'rebuild') then sum(done) else sum(whole) end as done
  from (${ENTRY_KINDS.map(count).join(' union all ')}) counted`)

/**
 * Number of entries, and number of entries that a rebuild has written. The numbers are equal if no rebuild is running.
 */
export type Progress = { whole: number; done: number }

export async function findProgress(db: Database): Promise<Progress> {
  const progress = await queryRow(db, PROGRESS, [])
  return { whole: progress?.whole ?? 0, done: progress?.done ?? 0 }
}
