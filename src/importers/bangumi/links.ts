import { sql } from 'kysely'
import { escapeCell, RowCopier } from '../../db/row-copier.ts'
import type { Database } from '../../db/database.ts'
import type { DumpReading } from '../dump/reading.ts'
import { GAME_RELATIONS, ORIGINAL_VOICES } from './archive-codes.ts'
import type { SubjectPlan } from './plan.ts'
import { FILES, readRows } from './read.ts'
import type { ActorRow, AppearanceRow, CreditRow, RelationRow } from './rows.ts'

/** What the relation files say about some subjects, by subject. */
export type ArchiveLinks = {
  credits: Map<number, CreditRow[]>
  appearances: Map<number, AppearanceRow[]>
  actors: Map<number, ActorRow[]>
  relations: Map<number, RelationRow[]>
}

/**
 * Image paths by the id of their entry. The Archive publishes none: the file is of those who have collected them, and is
 * held in memory, 100 bytes a picture.
 */
export type ArchiveImages = {
  covers: Map<number, string>
  personImages: Map<number, string>
  characterImages: Map<number, string>
}

/** Columns of the staged tables, each with `n`, the place of the row, in front; `subject` is looked up by. */
const TABLES = {
  credits: { columns: ['subject', 'person', 'position', 'note'], order: 'n' },
  appearances: { columns: ['subject', 'character', 'type', 'order'], order: 'order' },
  actors: { columns: ['subject', 'character', 'person', 'type'], order: 'n' },
  relations: { columns: ['subject', 'type', 'related', 'order'], order: 'n' },
} as const

type Table = keyof typeof TABLES

/** Stages what the relation files say about the planned works, where it is looked up. Other ends may not be in the dump. */
export async function stageLinks(dump: DumpReading, trx: Database, { works }: SubjectPlan): Promise<void> {
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
    (row) => works.get(row.subject) === 'galgame' && GAME_RELATIONS.has(row.type),
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
  const find = async <Row extends { subject: number }>(table: Table): Promise<Map<number, Row[]>> => {
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

export async function readImages(dump: DumpReading, { works, volumes }: SubjectPlan): Promise<ArchiveImages> {
  const images: ArchiveImages = { covers: new Map(), personImages: new Map(), characterImages: new Map() }
  for await (const { kind, id, path } of readRows(dump, FILES.images)) {
    if (path === '') continue
    if (kind === 'subject' && (works.has(id) || volumes.has(id))) images.covers.set(id, path)
    if (kind === 'person') images.personImages.set(id, path)
    if (kind === 'character') images.characterImages.set(id, path)
  }
  return images
}
