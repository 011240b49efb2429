import type { Database } from '../db/database.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'

export type FormDraft = {
  /** Path to which the form is sent. */
  path: string
  fields: Record<string, string | string[]>
}

/** Minutes before a draft expires: enough to sign in again, even with a second factor or a password reset. */
export const DRAFT_MINUTES = 60

/** Maximum number of drafts. Guests can create them, so this keeps the table below about 60 MB. */
const MAX_DRAFTS = 1_000
/** Maximum drafts per client address, so that one client cannot use up the total. */
const MAX_DRAFTS_OF_SENDER = 20

const SAVE = statement('accounts.form_draft_save').sql(`
  insert into form_drafts (token_hash, sender, path, fields, expires_at)
  select $1, $2, $3, $4::jsonb, now() + make_interval(mins => ${DRAFT_MINUTES})
  where (select count(*) from form_drafts where expires_at > now()) < ${MAX_DRAFTS}
    and (select count(*) from form_drafts where sender = $2 and expires_at > now()) < ${MAX_DRAFTS_OF_SENDER}
  returning token_hash`)

/** @returns false if the limit is reached */
export async function saveDraft(
  db: Database,
  tokenHash: string,
  sender: string,
  { path, fields }: FormDraft,
): Promise<boolean> {
  return (await queryRows(db, SAVE, [tokenHash, sender, path, JSON.stringify(fields)])).length > 0
}

const FIND = statement('accounts.form_draft_find').returning<FormDraft>(
  'select path, fields from form_drafts where token_hash = $1 and expires_at > now()',
)

export const findDraft = (db: Database, tokenHash: string) => queryRow(db, FIND, [tokenHash])

const DELETE = statement('accounts.delete_draft').sql(
  'delete from form_drafts where token_hash = $1',
)

export const deleteDraft = (db: Database, tokenHash: string) => queryRows(db, DELETE, [tokenHash])
