import type { Database } from '../db/database.ts'
import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'

const IS_EMPTY = statement('browse.is_catalog_empty').returning<{ empty: boolean }>(
  'select not exists (select from works) as empty',
)

/** True if nothing has been imported yet. */
export async function isCatalogEmpty(db: Database): Promise<boolean> {
  const [row] = await queryRows(db, IS_EMPTY, [])
  return row?.empty ?? true
}
