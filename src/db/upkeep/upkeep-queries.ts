import type { Database } from '../database.ts'
import { queryRow, queryRows } from '../query.ts'
import { statement } from '../statement.ts'

/** Result of the last vacuum pass over the embedded database that had something to do. */
export type Upkeep = {
  vacuumed_at: Date
  /** Number of tables that were vacuumed or analyzed. */
  tables: number
  /** Names of tables that could not be vacuumed. */
  failed: string[]
  /** Whether the last freeze of all tables was over 30 days ago. */
  is_freeze_due: boolean
}

const FIND = statement('db.find_upkeep').returning<Upkeep>(`
  select
    (value ->> 'vacuumed_at')::timestamptz as vacuumed_at,
    (value ->> 'tables')::integer as tables,
    value -> 'failed' as failed,
    (value ->> 'frozen_at')::timestamptz < now() - interval '30 days' as is_freeze_due
  from installation
  where name = 'upkeep'`)

/** Returns the result of the last pass; undefined before the first one. */
export const findUpkeep = (db: Database): Promise<Upkeep | undefined> => queryRow(db, FIND, [])

/** A new database has nothing to freeze, so its first month begins with the first pass. */
const SAVE = statement('db.save_upkeep').sql(`
  insert into installation (name, value)
  values (
    'upkeep',
    jsonb_build_object('vacuumed_at', now(), 'tables', $1::integer, 'failed', $2::jsonb, 'frozen_at', now())
  )
  on conflict (name) do update
  set value = case
    when $3::boolean then excluded.value
    else excluded.value || jsonb_build_object('frozen_at', installation.value -> 'frozen_at')
  end`)

/** Records the result of a pass, and whether it has frozen all tables. */
export async function saveUpkeep(
  db: Database,
  { tables, failed, isFrozen }: Pick<Upkeep, 'tables' | 'failed'> & { isFrozen: boolean },
): Promise<void> {
  await queryRows(db, SAVE, [tables, JSON.stringify(failed), isFrozen])
}
