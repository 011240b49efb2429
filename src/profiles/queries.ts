import { isUniqueViolation } from '../db/constraint-errors.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import { inTransaction } from '../db/transaction.ts'
import { isId } from '../http/wire/requests/validation.ts'
import { foldProfileName, normalizeProfileName } from './profile-name.ts'

export const PROFILE_PARTS = ['list', 'statistics', 'reviews', 'collections'] as const
export type ProfilePart = (typeof PROFILE_PARTS)[number]

export type ProfileSettingsRow = {
  is_shown: boolean
  /** Name in the path of the profile; null if the path contains the account id. */
  name: string | null
  /** Whether search engines may list the profile. */
  may_be_found: boolean
} & Record<`shows_${ProfilePart}`, boolean>

const DEFAULT_SETTINGS: ProfileSettingsRow = {
  is_shown: false,
  name: null,
  may_be_found: false,
  shows_list: false,
  shows_statistics: false,
  shows_reviews: false,
  shows_collections: false,
}

const SETTINGS = `profile.is_shown, profile.name, profile.may_be_found, ${PROFILE_PARTS.map((part) => `profile.shows_${part}`).join(', ')}`

/** SQL condition on `profile` and its `account`: the profile is public, and its user is active. */
export const IS_PUBLISHED = `
  profile.is_shown and not profile.is_withheld
    and account.banned_at is null and account.deletion_requested_at is null`

/** SQL that selects from the public profiles of active users. */
const FROM_PUBLISHED = `
  from public_profiles profile
  join accounts account on account.id = profile.account_id
  where ${IS_PUBLISHED}`

/** Maximum number of names per user, including earlier ones. */
export const MAX_PROFILE_NAMES = 5

const SELECT_SETTINGS = statement('profiles.select_settings').returning<ProfileSettingsRow>(`
  select ${SETTINGS} from public_profiles profile
  where profile.account_id = $1`)

export async function getProfileSettings(
  db: Database,
  accountId: number,
): Promise<ProfileSettingsRow> {
  return (await queryRow(db, SELECT_SETTINGS, [accountId])) ?? DEFAULT_SETTINGS
}

const LOCK_ACCOUNT = statement('profiles.lock_account').sql(
  'select id from accounts where id = $1 for no key update',
)

const TAKE_NAME = statement('profiles.take_name').sql(`
  insert into profile_names as taken (folded, name, account_id)
  values ($2, $3, $1)
  on conflict (folded) do update set name = excluded.name where taken.account_id = excluded.account_id
  returning taken.folded`)

const COUNT_NAMES = statement('profiles.count_names').returning<{ amount: number }>(
  'select count(*) as amount from profile_names where account_id = $1',
)

const SAVE = statement('profiles.save').sql(`
  insert into public_profiles (
    account_id, is_shown, name, may_be_found, ${PROFILE_PARTS.map((part) => `shows_${part}`).join(', ')}
  )
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (account_id) do update
  set
    is_shown = excluded.is_shown,
    name = excluded.name,
    may_be_found = excluded.may_be_found,
    ${PROFILE_PARTS.map((part) => `shows_${part} = excluded.shows_${part}`).join(',\n    ')},
    updated_at = now()`)

export type NameConflict = 'name_taken' | 'too_many_names'

class NameRefused extends Error {
  readonly fault: NameConflict

  constructor(fault: NameConflict) {
    super(fault)
    this.fault = fault
  }
}

/**
 * Saves a user's profile settings.
 *
 * @param change the settings, or a function that computes them from the stored settings while the account is locked;
 * the name must have passed `readProfileName`
 * @returns why the name was rejected, in which case nothing changed; undefined on success or if the account no longer
 * exists
 */
export async function saveProfileSettings(
  db: Database,
  accountId: number,
  change: ProfileSettingsRow | ((stored: ProfileSettingsRow) => ProfileSettingsRow),
): Promise<NameConflict | undefined> {
  try {
    await inTransaction(db, async (trx) => {
      // The lock keeps concurrent requests from exceeding the maximum number of names.
      if (!(await queryRow(trx, LOCK_ACCOUNT, [accountId]))) return
      const settings =
        typeof change === 'function' ? change(await getProfileSettings(trx, accountId)) : change
      const { is_shown, name, may_be_found } = settings
      if (name !== null) await takeName(trx, accountId, name)
      await queryRows(trx, SAVE, [
        accountId,
        is_shown,
        name,
        may_be_found,
        // The values are in the order of PROFILE_PARTS.
        settings.shows_list,
        settings.shows_statistics,
        settings.shows_reviews,
        settings.shows_collections,
      ])
    })
    return undefined
  } catch (error) {
    if (error instanceof NameRefused) return error.fault
    if (isUniqueViolation(error, 'public_profiles_name_key')) return 'name_taken'
    throw error
  }
}

async function takeName(trx: Database, accountId: number, name: string) {
  const taken = await queryRows(trx, TAKE_NAME, [accountId, foldProfileName(name), name])
  if (taken.length === 0) throw new NameRefused('name_taken')
  const names = await queryRow(trx, COUNT_NAMES, [accountId])
  if ((names?.amount ?? 0) > MAX_PROFILE_NAMES) throw new NameRefused('too_many_names')
}

export type PublishedProfile = {
  account_id: number
  /** The nickname, or the account name for users without a nickname. */
  display_name: string
  picture: string | null
  bio: string
  since: Date
} & ProfileSettingsRow

const SELECT_PUBLISHED = `
  select
    account.id as account_id,
    coalesce(account.nickname, account.name) as display_name,
    account.picture, account.bio, account.created_at as since, ${SETTINGS} ${FROM_PUBLISHED}`

const BY_NAME = statement('profiles.by_name').returning<PublishedProfile>(
  `${SELECT_PUBLISHED} and profile.name = $1`,
)
const BY_ID = statement('profiles.by_id').returning<PublishedProfile>(
  `${SELECT_PUBLISHED} and profile.account_id = $1`,
)

/**
 * Finds a profile by the last segment of its path.
 *
 * @param key name in any case or width, or the account id
 * @returns undefined if the profile does not exist or is not public, or its user is banned
 */
export const findPublishedProfile = (db: Database, key: string) =>
  isId(key)
    ? queryRow(db, BY_ID, [Number(key)])
    : queryRow(db, BY_NAME, [normalizeProfileName(key).toWellFormed().replaceAll('\0', '')])

/** Returns the last segment of a profile's path. */
export const profileKey = ({ account_id: id, name }: { account_id: number; name: string | null }) =>
  name ?? String(id)

export const profilePath = (profile: { account_id: number; name: string | null }) =>
  `/u/${profileKey(profile)}`

const SELECT_KEYS = statement('profiles.select_keys').returning<{
  account_id: number
  name: string | null
}>(`select profile.account_id, profile.name ${FROM_PUBLISHED} and profile.account_id = any($1)`)

/** Returns the profile paths of users with a public profile, keyed by account id. */
export async function findProfilePaths(
  db: Database,
  accountIds: readonly number[],
): Promise<Map<number, string>> {
  if (accountIds.length === 0) return new Map()
  const rows = await queryRows(db, SELECT_KEYS, [[...new Set(accountIds)]])
  return new Map(rows.map((row) => [row.account_id, profilePath(row)]))
}

const SELECT_DISPLAY_NAMES = statement('profiles.select_display_names').returning<
  Pick<PublishedProfile, 'account_id' | 'name' | 'display_name'>
>(`
  select profile.account_id, profile.name, coalesce(account.nickname, account.name) as display_name
  ${FROM_PUBLISHED}
    and profile.account_id = any(array(
      select account_id from profile_names where folded = any($1::text[])
      union all
      select unnest($2::bigint[])
    ))`)

/** Returns the display names of public profiles, keyed by the last segment of their paths. */
export async function findPublishedNames(
  db: Database,
  keys: readonly string[],
): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map()
  const rows = await queryRows(db, SELECT_DISPLAY_NAMES, [
    keys.map(foldProfileName),
    keys.filter(isId).map(Number),
  ])
  return new Map(
    rows.flatMap((row) =>
      [row.name, String(row.account_id)].flatMap((key) =>
        key === null ? [] : [[key, row.display_name] as const],
      ),
    ),
  )
}

type IndexableProfile = { account_id: number; name: string | null; updated_at: Date }

const SELECT_INDEXABLE = statement('profiles.select_indexable').returning<IndexableProfile>(`
  select profile.account_id, profile.name, profile.updated_at
  ${FROM_PUBLISHED} and profile.may_be_found and profile.account_id > $1 and profile.account_id <= $2
  order by profile.account_id
  limit $3`)

const SELECT_LAST_INDEXABLE = statement('profiles.select_last_indexable').returning<{
  last: number | null
}>('select max(account_id) as last from public_profiles where is_shown and may_be_found')

/** Returns the highest account id among the profiles that search engines may list, or 0. */
export async function findLastIndexableProfile(db: Database): Promise<number> {
  return (await queryRow(db, SELECT_LAST_INDEXABLE, []))?.last ?? 0
}

/** Lists profiles that search engines may list, with account ids above `after` and up to `upTo`, in ascending order. */
export const listIndexableProfiles = (
  db: Database,
  { after, upTo }: { after: number; upTo: number },
  limit: number,
) => queryRows(db, SELECT_INDEXABLE, [after, upTo, limit])
