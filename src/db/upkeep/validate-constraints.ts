import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { takeTurn, type TurnOptions } from './take-turn.ts'

/**
 * Validates the constraints that migrations added as `not valid`, each in a separate transaction. Readers and writers
 * continue. After an interruption, the next start continues.
 */
export async function validateConstraints(db: Database, options: TurnOptions): Promise<void> {
  for (const { table, name } of await listUnvalidated(db))
    await takeTurn(
      db,
      `constraint ${name}`,
      async (trx) => {
        const pending = await listUnvalidated(trx)
        if (!pending.some((constraint) => constraint.name === name)) return
        await sql`alter table ${sql.table(table)} validate constraint ${sql.ref(name)}`.execute(trx)
      },
      options,
    )
}

async function listUnvalidated(db: Database) {
  const { rows } = await sql<{ table: string; name: string }>`
    select relation.relname as table, listed.conname as name
    from pg_constraint listed
    join pg_class relation on relation.oid = listed.conrelid
    where not listed.convalidated and listed.connamespace = current_schema()::regnamespace
    order by 1, 2`.execute(db)
  return rows
}
