import { isJsonObject } from '../../kernel/is-json-object.ts'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import * as rows from './rows.ts'

/** A file of the Archive and what its lines are. */
type ArchiveFile<Row> = { name: string; toRow: rows.RowReader<Row> }

/** The files we read; episodes and the relations among people have no place in a catalog of books and games. */
export const FILES = {
  subjects: { name: 'subject.jsonlines', toRow: rows.toSubject },
  people: { name: 'person.jsonlines', toRow: rows.toPerson },
  characters: { name: 'character.jsonlines', toRow: rows.toCharacter },
  relations: { name: 'subject-relations.jsonlines', toRow: rows.toRelation },
  credits: { name: 'subject-persons.jsonlines', toRow: rows.toCredit },
  appearances: { name: 'subject-characters.jsonlines', toRow: rows.toAppearance },
  actors: { name: 'person-characters.jsonlines', toRow: rows.toActor },
  images: { name: '_images.jsonlines', toRow: rows.toImage },
}

/**
 * The rows of one file of an Archive folder, streamed: the file of subjects is larger than 1 GB.
 * A file that is not there has no rows.
 *
 * @throws on a line that is not a JSON object with its ids, naming file and line
 */
export async function* readRows<Row>(dir: string, { name, toRow }: ArchiveFile<Row>): AsyncGenerator<Row> {
  const path = join(dir, name)
  let number = 0
  for await (const line of readLines(path)) {
    number += 1
    if (line.trim() === '') continue
    const row = parseLine(line, toRow)
    if (!row) throw new Error(`${path}:${number}: not a row of ${name}`)
    yield row
  }
}

function parseLine<Row>(line: string, toRow: rows.RowReader<Row>): Row | undefined {
  try {
    const json: unknown = JSON.parse(line)
    return isJsonObject(json) ? toRow(json) : undefined
  } catch {
    return undefined
  }
}

/** Divides at `\n` alone: `node:readline` also divides at U+2028, which JSON text may hold. */
async function* readLines(path: string): AsyncGenerator<string> {
  const chunks: AsyncIterable<string> = createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 })
  let rest = ''
  try {
    for await (const chunk of chunks) {
      const lines = `${rest}${chunk}`.replace(/^\uFEFF/, '').split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
    throw error
  }
  yield rest
}
