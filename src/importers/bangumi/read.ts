import { isJsonObject } from '../../kernel/is-json-object.ts'
import type { DumpReading } from '../dump/reading.ts'
import * as rows from './rows.ts'

/** A file of the Archive, without `.jsonlines`, and what its lines are. */
type ArchiveFile<Row> = { name: string; toRow: rows.RowReader<Row> }

/** The files we read; episodes and the relations among people have no place in a catalog of books and games. */
export const FILES = {
  subjects: { name: 'subject', toRow: rows.toSubject },
  people: { name: 'person', toRow: rows.toPerson },
  characters: { name: 'character', toRow: rows.toCharacter },
  relations: { name: 'subject-relations', toRow: rows.toRelation },
  credits: { name: 'subject-persons', toRow: rows.toCredit },
  appearances: { name: 'subject-characters', toRow: rows.toAppearance },
  actors: { name: 'person-characters', toRow: rows.toActor },
  images: { name: '_images', toRow: rows.toImage },
}

/**
 * The rows of one file of the Archive, streamed: the file of subjects is larger than 1 GB. A file that is not there has no
 * rows. A line that is not UTF-8, or no JSON object with its ids, is counted and left out.
 *
 * @throws {DumpError} when more lines are left out than may be
 */
export async function* readRows<Row>(
  { dump, badRows }: DumpReading,
  { name, toRow }: ArchiveFile<Row>,
): AsyncGenerator<Row> {
  const opened = await dump.open(name)
  if (!opened) return
  const counted = badRows.of(name, opened.place)
  for await (const { lines, number } of opened.lines) {
    for (const [index, line] of lines.entries()) {
      if (line?.trim() === '') continue
      const row = line === null ? undefined : parseLine(line, toRow)
      if (!row) {
        counted.bad(number + index, line === null ? undefined : `it is no row of ${name}`)
        continue
      }
      counted.good()
      yield row
    }
  }
  counted.end()
}

function parseLine<Row>(line: string, toRow: rows.RowReader<Row>): Row | undefined {
  try {
    const json: unknown = JSON.parse(line)
    return isJsonObject(json) ? toRow(json) : undefined
  } catch {
    return undefined
  }
}
