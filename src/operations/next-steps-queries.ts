import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

/**
 * Lists what a new installation still lacks.
 *
 * @returns one sentence per missing item
 */
export async function listNextSteps(db: Database): Promise<string[]> {
  const { rows } = await sql<{ has_works: boolean; has_administrator: boolean }>`
    select
      exists(select from works) as has_works,
      exists(select from accounts where role = 'ADMIN') as has_administrator
  `.execute(db)
  const [state] = rows
  return [
    ...(state?.has_works ? [] : ['The catalog is empty. Load a dump: mokuroku import --help']),
    ...(state?.has_administrator
      ? []
      : ['There is no administrator yet. Sign up, then run: mokuroku account role EMAIL ADMIN']),
  ]
}
