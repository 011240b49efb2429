import { sql } from 'kysely'
import type { Database } from '../database.ts'

/**
 * Checks that the database accepts writes.
 *
 * @throws the error that a write would cause (SQLSTATE 25006) if the database is read-only
 */
export const requireWritable = (db: Database): Promise<unknown> =>
  sql`
    do $$
    begin
      if pg_is_in_recovery() or current_setting('transaction_read_only')::boolean then
        raise read_only_sql_transaction using message = 'The database is read-only';
      end if;
    end
    $$`.execute(db)
