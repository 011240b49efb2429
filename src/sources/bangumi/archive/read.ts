import { parseJsonObject } from '../../../kernel/is-json-object.ts'
import type { KnownColumns } from '../../dump/known-values.ts'
import type { DumpReading } from '../../dump/dump-source.ts'
import { KNOWN_KEYS } from './known-values.ts'
import * as rows from './rows.ts'

type ArchiveFile<Row> = { name: string; toRow: rows.RowReader<Row>; known?: KnownColumns }

/** Files that are read. Episodes and relations among people are not part of the catalog. */
export const FILES = {
  subjects: { name: 'subject', toRow: rows.toSubject, known: KNOWN_KEYS.subjects },
  people: { name: 'person', toRow: rows.toPerson, known: KNOWN_KEYS.people },
  characters: { name: 'character', toRow: rows.toCharacter, known: KNOWN_KEYS.characters },
  relations: { name: 'subject-relations', toRow: rows.toRelation, known: KNOWN_KEYS.relations },
  credits: { name: 'subject-persons', toRow: rows.toCredit, known: KNOWN_KEYS.credits },
  appearances: {
    name: 'subject-characters',
    toRow: rows.toAppearance,
    known: KNOWN_KEYS.appearances,
  },
  actors: { name: 'person-characters', toRow: rows.toActor, known: KNOWN_KEYS.actors },
  images: { name: '_images', toRow: rows.toImage },
}

/**
 * Yields the rows of a file. The file is streamed, because the file of subjects exceeds 1 GB. A missing file has no
 * rows. Lines that are not UTF-8, or that are not a JSON object with its ids, are counted and skipped.
 *
 * @throws {DumpError} if too many lines are skipped
 */
export async function* readRows<Row>(
  { dump, badRows }: DumpReading,
  { name, toRow, known = {} }: ArchiveFile<Row>,
): AsyncGenerator<Row> {
  const opened = await dump.open(name)
  if (!opened) return
  const counter = badRows.counterFor(name, opened.location)
  const checked = Object.entries(known)
  for await (const { lines, number } of opened.lines) {
    for (const [index, line] of lines.entries()) {
      if (line?.trim() === '') continue
      const json = line === null ? undefined : parseJsonObject(line)
      const row = json && toRow(json)
      if (!row) {
        counter.bad(
          number + index,
          line === null ? undefined : { code: 'other_row', params: { table: name } },
        )
        continue
      }
      counter.good()
      for (const [key, values] of checked) {
        const stated = json[key]
        const value = typeof stated === 'string' ? stated : JSON.stringify(stated)
        if (value === undefined ? values?.isOptional !== true : values?.has(value) === false)
          counter.unknown(key, value, String(json['id'] ?? json['subject_id']))
      }
      yield row
    }
  }
  counter.end()
}

const BATCH_SIZE = 200

/** Yields rows or records in batches, so that lookups can be combined. */
export async function* batchesOf<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let batch: Row[] = []
  for await (const row of rows) {
    batch.push(row)
    if (batch.length < BATCH_SIZE) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
