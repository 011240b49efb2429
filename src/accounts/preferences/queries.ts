import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import type { Account } from '../queries.ts'
import type { Language } from '../../i18n/languages.ts'
import type { TitlePreference } from '../../ui/title-preference.ts'

export type DisplayPreferences = {
  /** Null to follow the browser. */
  language: Language | null
  /** IANA name; null to follow the browser. */
  time_zone: string | null
  /** Whether spoilers are shown expanded. */
  shows_spoilers: boolean
  title_preference: TitlePreference
}

export type Preferences = DisplayPreferences & {
  shows_nsfw: boolean
  /** When the user confirmed being an adult; null if never. */
  of_age_stated_at: Date | null
}

const UNSET: Preferences = {
  shows_nsfw: false,
  of_age_stated_at: null,
  language: null,
  time_zone: null,
  shows_spoilers: false,
  title_preference: 'translated',
}

const SELECT = statement('accounts.select_preferences').returning<Preferences>(`
  select shows_nsfw, of_age_stated_at, language, time_zone, shows_spoilers, title_preference
  from reader_preferences
  where account_id = $1`)

export async function getPreferences(db: Database, accountId: number): Promise<Preferences> {
  const found = await queryRow(db, SELECT, [accountId])
  return found ?? UNSET
}

/** `of_age_stated_at` keeps the first time until the user hides adult content again. */
const SAVE = statement('accounts.preferences_save').sql(`
  insert into reader_preferences (
    account_id, shows_nsfw, of_age_stated_at, language, time_zone, shows_spoilers, title_preference
  )
  values ($1, $2, case when $2 then now() end, $3, $4, coalesce($5::boolean, false), coalesce($6, 'translated'))
  on conflict (account_id) do update
  set
    shows_nsfw = excluded.shows_nsfw,
    of_age_stated_at = case when $2 then coalesce(reader_preferences.of_age_stated_at, now()) end,
    language = case when $5 is null then reader_preferences.language else excluded.language end,
    time_zone = case when $5 is null then reader_preferences.time_zone else excluded.time_zone end,
    shows_spoilers = coalesce($5, reader_preferences.shows_spoilers),
    title_preference = coalesce($6, reader_preferences.title_preference)`)

/**
 * @param showsNsfw true only if the user has just stated that they are an adult
 * @param view undefined to keep the other preferences
 */
export async function savePreferences(
  db: Database,
  accountId: number,
  showsNsfw: boolean,
  view?: DisplayPreferences,
): Promise<void> {
  const {
    language = null,
    time_zone = null,
    shows_spoilers = null,
    title_preference = null,
  } = view ?? {}
  await queryRows(db, SAVE, [
    accountId,
    showsNsfw,
    language,
    time_zone,
    shows_spoilers,
    title_preference,
  ])
}

/** Viewer of a page, with the fields that the page's frame and queries need. */
export type PageAccount = Pick<Account, 'name' | 'picture' | 'role' | 'has_password'> &
  Pick<Preferences, 'shows_nsfw' | 'shows_spoilers' | 'time_zone' | 'title_preference'>

const SELECT_PAGE_ACCOUNT = statement('accounts.select_page_account').returning<PageAccount>(`
  select
    account.name, account.picture, account.role, account.password_hash is not null as has_password, preferences.time_zone,
    coalesce(preferences.shows_nsfw, false) as shows_nsfw,
    coalesce(preferences.shows_spoilers, false) as shows_spoilers,
    coalesce(preferences.title_preference, 'translated') as title_preference
  from accounts account
  left join reader_preferences preferences on preferences.account_id = account.id
  where account.id = $1 and account.banned_at is null and account.deletion_requested_at is null
    and account.approval_requested_at is null`)

/** @returns undefined if there is no such account, or it is not active */
export const findPageAccount = (db: Database, accountId: number) =>
  queryRow(db, SELECT_PAGE_ACCOUNT, [accountId])
