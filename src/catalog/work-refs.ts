import type { Database } from '../db/database.ts'
import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { toRatedMedia } from '../http/wire/media.ts'
import type { WorkKind } from './kinds.ts'
import { workRefSql } from './sql-fragments.ts'

/** A reference to a work (§2.2). */
export type WorkRef = {
  id: number
  name: string
  trans_name: string | null
  en_title: string | null
  romaji_title: string | null
  ko_title: string | null
  image: Parameters<typeof toRatedMedia>[0] | null
}

const WORK_REFS = statement('catalog.work_refs').returning<{ id: number; work: WorkRef | null }>(`
  select wanted.id, ${workRefSql('wanted.id', 'wanted.kind')} as work
  from unnest($1::bigint[], $2::text[]) wanted (id, kind)`)

/**
 * Adds to each row of user data its work, or null if the work does not exist. Statements of user data cannot join the
 * catalog, which may be on another machine (decision 0039).
 */
export async function withWorkRefs<Row extends { work_id: number; kind: WorkKind }>(
  db: Database,
  rows: readonly Row[],
): Promise<(Row & { work: WorkRef | null })[]> {
  if (rows.length === 0) return []
  const kinds = new Map(rows.map(({ work_id: id, kind }) => [id, kind]))
  const found = await queryRows(db, WORK_REFS, [[...kinds.keys()], [...kinds.values()]])
  const works = new Map(found.map(({ id, work }) => [id, work]))
  return rows.map((row) => ({ ...row, work: works.get(row.work_id) ?? null }))
}
