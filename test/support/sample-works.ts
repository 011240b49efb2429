import { sql } from 'kysely'
import type { WorkKind } from '../../src/catalog/kinds.ts'
import type { Database } from '../../src/db/database.ts'

/** Returns the ids of sample works, keyed by kind and in order: safe ones and those marked nsfw. */
export async function sampleWorks(db: Database, nsfw = false): Promise<Record<WorkKind, number[]>> {
  const { rows } = await sql<{ id: number; kind: WorkKind }>`
    select id, kind from works where nsfw = ${nsfw} order by id`.execute(db)
  const works: Record<WorkKind, number[]> = { galgame: [], light_novel: [], manga: [] }
  for (const { id, kind } of rows) works[kind].push(id)
  return works
}

/** Returns the first element of a non-empty list. */
export function first<Item>([item]: readonly Item[]): Item {
  if (item === undefined) throw new Error('There is none')
  return item
}
