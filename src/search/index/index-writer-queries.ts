import { setImmediate } from 'node:timers/promises'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import type { EntryKind } from '../../catalog/kinds.ts'
import { bucketOf } from './buckets.ts'
import { type HashedNames, readNames } from './entry-names-queries.ts'
import { toIndexRow, type IndexRow } from './index-row.ts'
import { typoKeys } from './typos.ts'
import { sectionOf, sectionsOf } from './sections.ts'
import { insertBucketsSql } from './write-queries.ts'

/**
 * Upserts rows, and deletes the rows of entries that are gone or have moved to another section. Unchanged rows are not
 * rewritten. Grams are passed as array literals, because arrays of different lengths cannot form a two-dimensional
 * array.
 */
const SAVE = statement('search.save').sql(`
  with gone as (
    delete from search_entries
    where section = any($9::smallint[]) and id = any($10::bigint[])
      and (section, id) not in (select * from unnest($11::smallint[], $12::bigint[]))
  ),
  ${insertBucketsSql('$7')}
  insert into search_entries as entry (section, id, readers, names, words, grams, hash)
  select section, id, readers, names, words, grams::integer[], hash
  from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $8::uuid[])
    as written (section, id, readers, names, words, grams, hash)
  order by section, id
  on conflict (section, id) do update
    set (readers, names, words, grams, hash)
      = row (excluded.readers, excluded.names, excluded.words, excluded.grams, excluded.hash)
    where (entry.names, entry.words, entry.grams, entry.readers, entry.hash)
      is distinct from (excluded.names, excluded.words, excluded.grams, excluded.readers, excluded.hash)`)

const UNCHANGED = statement('search.unchanged').returning<{ id: number }>(`
  select entry.id
  from search_entries entry
  join unnest($1::smallint[], $2::bigint[], $3::uuid[], $4::bigint[]) as now_read (section, id, hash, readers)
    on (now_read.section, now_read.id, now_read.hash, now_read.readers)
      = (entry.section, entry.id, entry.hash, entry.readers)`)

const NEW_WORDS = statement('search.new_words').returning<{ word: string }>(`
  select word from unnest($1::text[]) as word
  where not exists (select from search_words known where known.word = word.word collate "C")`)
const SAVE_WORDS = statement('search.save_words').sql(`
  insert into search_words (word, slips)
  select word, slips::integer[] from unnest($1::text[], $2::text[]) as fresh (word, slips)
  order by word collate "C"
  on conflict do nothing`)

/** Number of words that are looked up and written at once. */
const WORD_BATCH_SIZE = 4_000
/** Maximum number of words cached so that they are not looked up again. */
const MAX_REMEMBERED_WORDS = 40_000

type Entry = HashedNames & { section: number }

/** Rows that are built but not saved yet. */
type Batch = {
  kind: EntryKind
  ids: number[]
  entries: Entry[]
  changed: Entry[]
  rows: IndexRow[]
}

/** Number of rows built per turn of the event loop. The turns between them send the previous batch. */
const ROWS_BETWEEN_EVENTS = 20

/**
 * Rewrites the rows of entries in batches. Deletes the rows of deleted and merged entries. The database saves a batch
 * while this process builds the next one, so `flush` must follow the last batch.
 */
export class IndexWriter {
  readonly #trx: Database
  readonly #trustsHashes: boolean
  readonly #words = new Set<string>()
  readonly #knownWords = new Set<string>()
  #built: Batch | undefined

  /**
   * @param trustsHashes whether this version of the program built the index, so that rows with an unchanged hash
   *   are current
   */
  constructor(trx: Database, { trustsHashes }: { trustsHashes: boolean }) {
    this.#trx = trx
    this.#trustsHashes = trustsHashes
  }

  async write(kind: EntryKind, ids: number[]): Promise<void> {
    if (ids.length === 0) return
    const named = await readNames(this.#trx, kind, ids)
    const entries = named.map((entry): Entry => ({
      ...entry,
      section: sectionOf(kind, entry.nsfw),
    }))
    const unchanged = this.#trustsHashes ? await this.#listUnchanged(entries) : new Set<number>()
    const changed = entries.filter(({ id }) => !unchanged.has(id))
    const [rows] = await Promise.all([buildRows(changed), this.#save(WORD_BATCH_SIZE)])
    this.#built = { kind, ids, entries, changed, rows }
  }

  async #listUnchanged(entries: Entry[]): Promise<ReadonlySet<number>> {
    const rows = await queryRows(this.#trx, UNCHANGED, [
      entries.map(({ section }) => section),
      entries.map(({ id }) => id),
      entries.map(({ hash }) => hash),
      entries.map(({ readers }) => readers),
    ])
    return new Set(rows.map(({ id }) => id))
  }

  /** Saves the last batch and the buffered words. */
  flush(): Promise<void> {
    return this.#save(1)
  }

  /** Saves the pending batch, and the buffered words if there are at least `minWords`. */
  async #save(minWords: number): Promise<void> {
    const batch = this.#built
    this.#built = undefined
    if (batch) await this.#saveRows(batch)
    if (this.#words.size >= minWords) await this.#saveWords()
  }

  async #saveRows({ kind, ids, entries, changed, rows }: Batch): Promise<void> {
    await queryRows(this.#trx, SAVE, [
      rows.map(({ section }) => section),
      rows.map(({ id }) => id),
      rows.map(({ readers }) => readers),
      rows.map(({ names }) => names),
      rows.map(({ words }) => words),
      rows.map(({ grams }) => arrayText(grams)),
      rows.map(({ readers, id }) => bucketOf(readers, id)),
      changed.map(({ hash }) => hash),
      sectionsOf(kind),
      ids,
      entries.map(({ section }) => section),
      entries.map(({ id }) => id),
    ])
    for (const { vocabulary } of rows)
      for (const word of vocabulary) if (!this.#knownWords.has(word)) this.#words.add(word)
  }

  async #saveWords(): Promise<void> {
    const words = [...this.#words]
    this.#words.clear()
    const fresh = await queryRows(this.#trx, NEW_WORDS, [words])
    if (fresh.length > 0)
      await queryRows(this.#trx, SAVE_WORDS, [
        fresh.map(({ word }) => word),
        fresh.map(({ word }) => arrayText(typoKeys(word))),
      ])
    if (this.#knownWords.size >= MAX_REMEMBERED_WORDS) this.#knownWords.clear()
    for (const word of words) this.#knownWords.add(word)
  }
}

async function buildRows(entries: Entry[]): Promise<IndexRow[]> {
  const rows: IndexRow[] = []
  for (const [index, entry] of entries.entries()) {
    if (index % ROWS_BETWEEN_EVENTS === 0) await setImmediate()
    rows.push(toIndexRow(entry.section, entry))
  }
  return rows
}

const arrayText = (numbers: number[]) => `{${numbers.join(',')}}`
