import type { Database } from '../db/database.ts'
import { queryRows } from '../db/query.ts'

/** True if nothing has been imported yet. */
export async function isCatalogEmpty(db: Database): Promise<boolean> {
  const [row] = await queryRows<{ empty: boolean }>(db, 'select not exists (select from works) as empty', [])
  return row?.empty ?? true
}
