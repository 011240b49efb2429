import type { Database } from '../database.ts'
import { queryRows } from '../query.ts'
import { statement } from '../statement.ts'

/**
 * SQL condition: migration 0013 ran less than 30 days ago. Processes of the previous version, which do not write the
 * reference tables, may have run after it.
 */
const IS_RECENT = `exists (
  select from migrations where name = '0013_shards' and applied_at > now() - interval '30 days'
)`

const ADD_ACCOUNTS = statement('db.add_account_refs').sql(`
  insert into account_refs (id, hidden)
  select account.id, account.banned_at is not null or account.deletion_requested_at is not null
  from accounts account
  where ${IS_RECENT} and not exists (select from account_refs known where known.id = account.id)
  on conflict (id) do nothing`)

const ADD_WORKS = statement('db.add_work_refs').sql(`
  insert into work_refs (id, kind, withdrawn)
  select work.id, work.kind, exists (select from withdrawn_works gone where gone.id = work.id)
  from works work
  where ${IS_RECENT} and not exists (select from work_refs known where known.id = work.id)
  on conflict (id) do nothing`)

/** Adds references to accounts and works that processes of the previous version created after the migration. */
export async function addMissingReferences(db: Database): Promise<void> {
  for (const add of [ADD_ACCOUNTS, ADD_WORKS]) await queryRows(db, add, [])
}
