import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import { VISIBLE_TO } from '../ratings/own/lists/visibility-fragments.ts'
import { IS_PUBLISHED, type PublishedProfile } from './queries.ts'

/** Maximum number of profiles in the directory. */
const MAX_PROFILES = 20_000

/** A profile with the values by which the directory is sorted. */
export type RankedProfile = {
  account_id: number
  /** Number of works on the public list that guests may see; 0 if the list is not public. */
  works: number
  /** Last change of a public rating, or of a review if only reviews are public; null if neither is. */
  active_at: Date | null
}

const RANK = statement('profiles.rank').returning<RankedProfile>(`
  select profile.account_id, coalesce(counted.works, 0) as works, counted.active_at
  from public_profiles profile
  join accounts account on account.id = profile.account_id
  left join lateral (
    select count(case when profile.shows_list then rating.id end) as works, max(rating.updated_at) as active_at
    from ratings rating
    where rating.account_id = profile.account_id
      and (profile.shows_list or (profile.shows_reviews and rating.rate_content <> ''))
      ${VISIBLE_TO.everyone}
  ) counted on true
  where ${IS_PUBLISHED}
  order by profile.account_id desc
  limit ${MAX_PROFILES}`)

/** Returns the values by which public profiles are sorted. Reads every public rating of their users. */
export const rankProfiles = (db: Database) => queryRows(db, RANK, [])

const FIND = statement('profiles.find_by_part_of_name').returning<{ account_id: number }>(`
  select profile.account_id
  from public_profiles profile
  join accounts account on account.id = profile.account_id
  where ${IS_PUBLISHED}
    and (
      strpos(lower(coalesce(account.nickname, account.name)), lower($1)) > 0
      or strpos(profile.name, lower($1)) > 0
    )
  limit ${MAX_PROFILES}`)

/** Returns the accounts of public profiles whose name contains a text. */
export async function findProfilesByName(db: Database, text: string): Promise<Set<number>> {
  const rows = await queryRows(db, FIND, [text])
  return new Set(rows.map(({ account_id: id }) => id))
}

export type ProfileCard = Pick<
  PublishedProfile,
  'account_id' | 'name' | 'display_name' | 'picture' | 'bio' | 'shows_list'
>

const CARDS = statement('profiles.cards').returning<ProfileCard>(`
  select
    profile.account_id, profile.name, coalesce(account.nickname, account.name) as display_name, account.picture,
    account.bio, profile.shows_list
  from public_profiles profile
  join accounts account on account.id = profile.account_id
  where ${IS_PUBLISHED} and profile.account_id = any($1::bigint[])`)

/** Returns those of the profiles that are public, keyed by account id. */
export async function findProfileCards(
  db: Database,
  ids: readonly number[],
): Promise<Map<number, ProfileCard>> {
  if (ids.length === 0) return new Map()
  const rows = await queryRows(db, CARDS, [[...ids]])
  return new Map(rows.map((row) => [row.account_id, row]))
}
