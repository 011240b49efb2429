import { isUniqueViolation } from '../db/constraint-errors.ts'
import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import { inTransaction } from '../db/transaction.ts'
import { isId } from '../http/wire/requests/validation.ts'
import { foldProfileName, normalizeProfileName } from './profile-name.ts'

/** The parts of a profile, each shown by choice. */
export const PROFILE_PARTS = ['list', 'statistics', 'reviews', 'collections'] as const
export type ProfilePart = (typeof PROFILE_PARTS)[number]

/** What a reader shows of theirs, and where. */
export type ProfileSettingsRow = {
  is_shown: boolean
  /** Of its address; null: the id of the account. */
  name: string | null
  /** Whether search engines may list it. */
  may_be_found: boolean
} & Record<`shows_${ProfilePart}`, boolean>

const UNSET: ProfileSettingsRow = {
  is_shown: false,
  name: null,
  may_be_found: false,
  shows_list: false,
  shows_statistics: false,
  shows_reviews: false,
  shows_collections: false,
}

const CHOICE = PROFILE_PARTS.map((part) => `profile.shows_${part}`).join(', ')

/** Names that one reader may hold, those of former days among them. */
export const MAX_PROFILE_NAMES = 5

const SELECT_CHOICE = statement('profiles.select_choice').returning<ProfileSettingsRow>(`
  select profile.is_shown, profile.name, profile.may_be_found, ${CHOICE}
  from public_profiles profile
  where profile.account_id = $1`)

/** What a reader has chosen; nothing is shown of one who has not. */
export async function getProfileSettings(
  db: Database,
  accountId: number,
): Promise<ProfileSettingsRow> {
  const [found] = await queryRows(db, SELECT_CHOICE, [accountId])
  return found ?? UNSET
}

const HOLD_ACCOUNT = statement('profiles.hold_account').sql(
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
 * Saves a reader's profile choice.
 *
 * @param choiceOf the choice, or a function that computes it from the stored one while the account is locked; its name has passed
 *   `readProfileName`
 * @returns why the name was rejected, in which case nothing changed; undefined on success or if the account no longer exists
 */
export async function saveProfileSettings(
  db: Database,
  accountId: number,
  choiceOf: ProfileSettingsRow | ((stored: ProfileSettingsRow) => ProfileSettingsRow),
): Promise<NameConflict | undefined> {
  try {
    await inTransaction(db, async (trx) => {
      // One after another for one reader, so that two at once do not both take the last of their names.
      const [held] = await queryRows(trx, HOLD_ACCOUNT, [accountId])
      if (!held) return
      const choice =
        typeof choiceOf === 'function'
          ? choiceOf(await getProfileSettings(trx, accountId))
          : choiceOf
      const { is_shown, name, may_be_found } = choice
      if (name !== null) await takeName(trx, accountId, name)
      await queryRows(trx, SAVE, [
        accountId,
        is_shown,
        name,
        may_be_found,
        // In the order of PROFILE_PARTS.
        choice.shows_list,
        choice.shows_statistics,
        choice.shows_reviews,
        choice.shows_collections,
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
  const [row] = await queryRows(trx, COUNT_NAMES, [accountId])
  if ((row?.amount ?? 0) > MAX_PROFILE_NAMES) throw new NameRefused('too_many_names')
}

/** A profile that is shown, as everybody may see its head. */
export type PublishedProfile = {
  account_id: number
  /** The nickname, or else the name. */
  display_name: string
  picture: string | null
  bio: string
  since: Date
} & ProfileSettingsRow

const SELECT_SHOWN = `
  select
    account.id as account_id,
    coalesce(account.nickname, account.name) as display_name,
    account.picture, account.bio, account.created_at as since,
    profile.is_shown, profile.name, profile.may_be_found, ${CHOICE}
  from public_profiles profile
  join accounts account on account.id = profile.account_id
  where profile.is_shown and not profile.is_withheld and account.banned_at is null and account.deletion_requested_at is null`

const BY_NAME = statement('profiles.by_name').returning<PublishedProfile>(
  `${SELECT_SHOWN} and profile.name = $1`,
)
const BY_ID = statement('profiles.by_id').returning<PublishedProfile>(
  `${SELECT_SHOWN} and profile.account_id = $1`,
)

/**
 * The profile at an address, by its name in any writing, or by the id of its account.
 *
 * @returns undefined when there is none, its reader does not show it, or is banned
 */
export async function findPublishedProfile(
  db: Database,
  address: string,
): Promise<PublishedProfile | undefined> {
  const [found] = isId(address)
    ? await queryRows(db, BY_ID, [Number(address)])
    : await queryRows(db, BY_NAME, [
        normalizeProfileName(address).toWellFormed().replaceAll('\0', ''),
      ])
  return found
}

/** Where a profile's page is, below `/u/`. */
export const profileKey = ({ account_id: id, name }: { account_id: number; name: string | null }) =>
  name ?? String(id)

/** The address of the page of a profile that is shown. */
export const profilePath = (profile: { account_id: number; name: string | null }) =>
  `/u/${profileKey(profile)}`

const SELECT_ADDRESSES = statement('profiles.select_addresses').returning<{
  account_id: number
  name: string | null
}>(`
  select profile.account_id, profile.name
  from public_profiles profile
  join accounts account on account.id = profile.account_id
  where profile.account_id = any($1) and profile.is_shown and not profile.is_withheld and account.banned_at is null and account.deletion_requested_at is null`)

/** The addresses of those of the readers who show a profile, by their ids. */
export async function findProfilePaths(
  db: Database,
  accountIds: readonly number[],
): Promise<Map<number, string>> {
  if (accountIds.length === 0) return new Map()
  const rows = await queryRows(db, SELECT_ADDRESSES, [[...new Set(accountIds)]])
  return new Map(rows.map((row) => [row.account_id, profilePath(row)]))
}

type Row = { account_id: number; name: string | null; display_name: string }

const SELECT_SHOWN_NAMES = statement('profiles.select_shown_names').returning<Row>(`
  select profile.account_id, profile.name, coalesce(account.nickname, account.name) as display_name
  from public_profiles profile
  join accounts account on account.id = profile.account_id
  where profile.account_id = any(array(
      select account_id from profile_names where folded = any($1::text[])
      union all
      select unnest($2::bigint[])
    ))
    and profile.is_shown and not profile.is_withheld and account.banned_at is null and account.deletion_requested_at is null`)

/** What those readers are called who show a profile, by the keys of their addresses. */
export async function findPublishedNames(
  db: Database,
  keys: readonly string[],
): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map()
  const rows = await queryRows(db, SELECT_SHOWN_NAMES, [
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

const SELECT_FOUND = statement('profiles.select_found').returning<IndexableProfile>(`
  select profile.account_id, profile.name, profile.updated_at
  from public_profiles profile
  join accounts account on account.id = profile.account_id
  where profile.is_shown and not profile.is_withheld and profile.may_be_found and account.banned_at is null and account.deletion_requested_at is null
    and profile.account_id > $1 and profile.account_id <= $2
  order by profile.account_id
  limit $3`)

const SELECT_LAST_FOUND = statement('profiles.select_last_found').returning<{
  last: number | null
}>('select max(account_id) as last from public_profiles where is_shown and may_be_found')

/** The highest id of an account whose profile search engines may list; 0 when there is none. */
export async function findLastIndexableProfile(db: Database): Promise<number> {
  const [row] = await queryRows(db, SELECT_LAST_FOUND, [])
  return row?.last ?? 0
}

/** Profiles that search engines may list, with ids above `after` up to `upTo`, in the order of these. */
export function listIndexableProfiles(
  db: Database,
  { after, upTo }: { after: number; upTo: number },
  limit: number,
): Promise<IndexableProfile[]> {
  return queryRows(db, SELECT_FOUND, [after, upTo, limit])
}
