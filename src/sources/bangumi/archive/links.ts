import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { loadTemporaryTable } from '../../../db/temporary-table.ts'
import type { DumpReading } from '../../dump/dump-source.ts'
import { GAME_RELATIONS, ORIGINAL_VOICES } from './archive-codes.ts'
import type { WorkIds } from '../books/classify-subjects.ts'
import { FILES, readRows } from './read.ts'
import type { ActorRow, AppearanceRow, CreditRow, RelationRow } from './rows.ts'

export type ArchiveLinks = {
  credits: Map<number, CreditRow[]>
  appearances: Map<number, AppearanceRow[]>
  actors: Map<number, ActorRow[]>
  relations: Map<number, RelationRow[]>
}

/** Image paths, keyed by id. They come from another file, because the Archive does not contain them. */
export type ArchiveImages = ReadonlyMap<number, string>

/** Columns of the staged tables after `n`, the position of the row. `order` is the column by which rows are ordered. */
const TABLES = {
  credits: { columns: ['subject', 'person', 'position', 'note'], order: 'n' },
  appearances: { columns: ['subject', 'character', 'type', 'order'], order: 'order' },
  actors: { columns: ['subject', 'character', 'person', 'type'], order: 'n' },
  relations: { columns: ['subject', 'type', 'related', 'order'], order: 'n' },
} as const

type Table = keyof typeof TABLES

/**
 * Stages the rows of the relation files that involve works. The other end of a relation may be missing from the dump.
 */
export async function stageLinks(
  dump: DumpReading,
  trx: Database,
  { works, galgames }: WorkIds,
): Promise<void> {
  const isWork = ({ subject }: { subject: number }) => works.has(subject)
  await stageRows(trx, 'credits', readRows(dump, FILES.credits), isWork)
  await stageRows(trx, 'appearances', readRows(dump, FILES.appearances), isWork)
  await stageRows(
    trx,
    'actors',
    readRows(dump, FILES.actors),
    (row) => isWork(row) && ORIGINAL_VOICES.has(row.type),
  )
  await stageRows(
    trx,
    'relations',
    readRows(dump, FILES.relations),
    // A related game that is not a galgame has no entry to refer to.
    ({ subject, related, type }) =>
      galgames.has(subject) && galgames.has(related) && GAME_RELATIONS.has(type),
  )
}

async function stageRows<Row extends Partial<Record<string, string | number>>>(
  trx: Database,
  table: Table,
  rows: AsyncIterable<Row>,
  isWanted: (row: Row) => boolean,
) {
  const name = `dump_${table}`
  const { columns } = TABLES[table]
  const types = columns.map((column) => [column, column === 'note' ? 'text' : 'bigint'])
  let n = 0
  await loadTemporaryTable(
    trx,
    name,
    { n: 'bigint', ...Object.fromEntries(types) },
    rows,
    (row) => {
      n += 1
      return isWanted(row) ? [[n, ...columns.map((column) => row[column] ?? null)]] : []
    },
  )
  await sql`create index on ${sql.table(name)} (subject)`.execute(trx)
}

/**
 * Returns the staged rows of the given subjects in the order of the file, except for appearances, which have their own
 * order.
 */
export async function findLinks(trx: Database, subjects: number[]): Promise<ArchiveLinks> {
  const find = async <Row extends { subject: number }>(
    table: Table,
  ): Promise<Map<number, Row[]>> => {
    const { columns, order } = TABLES[table]
    const { rows } = await sql<Row>`
      select ${sql.join(columns.map((column) => sql.ref(column)))}
      from ${sql.table(`dump_${table}`)}
      where subject = any(${subjects}::bigint[])
      order by ${sql.ref(order)}, n`.execute(trx)
    return Map.groupBy(rows, ({ subject }) => subject)
  }
  return {
    credits: await find<CreditRow>('credits'),
    appearances: await find<AppearanceRow>('appearances'),
    actors: await find<ActorRow>('actors'),
    relations: await find<RelationRow>('relations'),
  }
}

type ImageKind = 'subject' | 'person' | 'character'

export async function stageImages(dump: DumpReading, trx: Database): Promise<void> {
  let n = 0
  await loadTemporaryTable(
    trx,
    'dump_paths',
    { n: 'bigint', kind: 'text', id: 'bigint', path: 'text' },
    readRows(dump, FILES.images),
    ({ kind, id, path }) => (path === '' ? [] : [[(n += 1), kind, id, path]]),
  )
  await sql`create index on dump_paths (id)`.execute(trx)
}

/** Returns the image paths of the given entries. If an entry has several, the last one wins. */
export async function findImages(
  trx: Database,
  kind: ImageKind,
  ids: number[],
): Promise<ArchiveImages> {
  const { rows } = await sql<{ id: number; path: string }>`
    select id, path from dump_paths where kind = ${kind} and id = any(${ids}::bigint[]) order by n`.execute(
    trx,
  )
  return new Map(rows.map(({ id, path }) => [id, path]))
}
