import { sql } from 'kysely'
import { escapeCell, RowCopier } from '../../../db/row-copier.ts'
import type { Database } from '../../../db/database.ts'
import type { DumpReading } from '../../dump/reading.ts'
import { GAME_RELATIONS, ORIGINAL_VOICES } from './archive-codes.ts'
import type { PlannedWorks } from '../books/plan.ts'
import { FILES, readRows } from './read.ts'
import type { ActorRow, AppearanceRow, CreditRow, RelationRow } from './rows.ts'

/** What the relation files say about some subjects, by subject. */
export type ArchiveLinks = {
  credits: Map<number, CreditRow[]>
  appearances: Map<number, AppearanceRow[]>
  actors: Map<number, ActorRow[]>
  relations: Map<number, RelationRow[]>
}

/** Image paths by the id of their entry. The Archive publishes none: the file is of those who have collected them. */
export type ArchiveImages = ReadonlyMap<number, string>

/** Columns of the staged tables, each with `n`, the place of the row, in front; `subject` is looked up by. */
const TABLES = {
  credits: { columns: ['subject', 'person', 'position', 'note'], order: 'n' },
  appearances: { columns: ['subject', 'character', 'type', 'order'], order: 'order' },
  actors: { columns: ['subject', 'character', 'person', 'type'], order: 'n' },
  relations: { columns: ['subject', 'type', 'related', 'order'], order: 'n' },
} as const

type Table = keyof typeof TABLES

/** Stages what the relation files say about the planned works, where it is looked up. Other ends may not be in the dump. */
export async function stageLinks(
  dump: DumpReading,
  trx: Database,
  { works, galgames }: PlannedWorks,
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
    // What is related as a game but is no galgame has no entry to refer to.
    ({ subject, related, type }) =>
      galgames.has(subject) && galgames.has(related) && GAME_RELATIONS.has(type),
  )
}

async function stageRows<Row extends object>(
  trx: Database,
  table: Table,
  rows: AsyncIterable<Row>,
  isWanted: (row: Row) => boolean,
) {
  const name = `dump_${table}`
  const { columns } = TABLES[table]
  const definitions = columns.map(
    (column) => sql`${sql.ref(column)} ${column === 'note' ? sql`text` : sql`bigint`} not null`,
  )
  await sql`create temporary table ${sql.table(name)} (n bigint not null, ${sql.join(definitions)}) on commit drop`.execute(
    trx,
  )
  const copier = new RowCopier(trx, name, ['n', ...columns])
  let n = 0
  for await (const row of rows) {
    n += 1
    if (!isWanted(row)) continue
    const cells = new Map<string, unknown>(Object.entries(row))
    copier.add([n, ...columns.map((column) => escapeCell(String(cells.get(column))))].join('\t'))
    await copier.settle()
  }
  await copier.end()
  await sql`create index on ${sql.table(name)} (subject)`.execute(trx)
  await sql`analyze ${sql.table(name)}`.execute(trx)
}

/** What is staged of these subjects; rows in file order, save for appearances, which have an order of their own. */
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

/** Stages the image paths, where it is looked up. */
export async function stageImages(dump: DumpReading, trx: Database): Promise<void> {
  await sql`
    create temporary table dump_paths (n bigint not null, kind text not null, id bigint not null, path text not null)
    on commit drop`.execute(trx)
  const copier = new RowCopier(trx, 'dump_paths', ['n', 'kind', 'id', 'path'])
  let n = 0
  for await (const { kind, id, path } of readRows(dump, FILES.images)) {
    n += 1
    if (path !== '') copier.add([n, escapeCell(kind), id, escapeCell(path)].join('\t'))
    await copier.settle()
  }
  await copier.end()
  await sql`create index on dump_paths (id)`.execute(trx)
  await sql`analyze dump_paths`.execute(trx)
}

/** The image paths of these entries; of several of one entry the last. */
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
