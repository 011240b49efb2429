import { statement } from '../statement.ts'
import { queryRows } from '../query.ts'
import type { Database } from '../database.ts'

const ALLOWED = statement('db.allowed').returning<{ allowed: number }>(`
  select current_setting('max_connections')::integer
    - current_setting('superuser_reserved_connections')::integer
    - coalesce(current_setting('reserved_connections', true), '0')::integer as allowed`)

/** Returns how many connections the server accepts from roles without superuser rights. */
export async function findAllowedConnections(db: Database): Promise<number> {
  const [row] = await queryRows(db, ALLOWED, [])
  return row?.allowed ?? 0
}
