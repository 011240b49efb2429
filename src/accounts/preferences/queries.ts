import { queryRows } from '../../db/query.ts'
import type { Database } from '../../db/database.ts'

/** How a reader wishes to see the catalog. */
export type Preferences = {
  shows_nsfw: boolean
  /** When they said that they are of full age; null: never. */
  of_age_stated_at: Date | null
}

const UNSET: Preferences = { shows_nsfw: false, of_age_stated_at: null }

const SELECT = 'select shows_nsfw, of_age_stated_at from reader_preferences where account_id = $1'

export async function getPreferences(db: Database, accountId: number): Promise<Preferences> {
  const [found] = await queryRows<Preferences>(db, SELECT, [accountId])
  return found ?? UNSET
}

/** The moment of the first statement stays until works for adults are left out again. */
const SAVE = `
  insert into reader_preferences (account_id, shows_nsfw, of_age_stated_at)
  values ($1, $2, case when $2 then now() end)
  on conflict (account_id) do update
  set
    shows_nsfw = excluded.shows_nsfw,
    of_age_stated_at = case when $2 then coalesce(reader_preferences.of_age_stated_at, now()) end`

/** @param showsNsfw true only of a reader who has just said that they are of full age */
export async function savePreferences(db: Database, accountId: number, showsNsfw: boolean): Promise<void> {
  await queryRows(db, SAVE, [accountId, showsNsfw])
}

/** Who looks at a page, as its frame and its queries need to know. */
export type PageAccount = {
  name: string
  picture: string | null
  shows_nsfw: boolean
  role: 'MODERATOR' | 'ADMIN' | null
}

const SELECT_PAGE_ACCOUNT = `
  select account.name, account.picture, account.role, coalesce(preferences.shows_nsfw, false) as shows_nsfw
  from accounts account
  left join reader_preferences preferences on preferences.account_id = account.id
  where account.id = $1 and account.banned_at is null`

/** @returns undefined when there is no such account, or it is banned */
export async function findPageAccount(db: Database, accountId: number): Promise<PageAccount | undefined> {
  const [found] = await queryRows<PageAccount>(db, SELECT_PAGE_ACCOUNT, [accountId])
  return found
}
