import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import { inTransaction } from '../db/transaction.ts'
import type { ProfileCard } from './directory-queries.ts'
import { IS_PUBLISHED } from './queries.ts'

/** Maximum number of profiles that a user follows. */
export const MAX_FOLLOWED = 500

const LOCK = statement('profiles.lock_follower').sql(
  'select from account_refs where id = $1 and not hidden for no key update',
)

const FOLLOW = statement('profiles.follow').returning<{
  is_public: boolean
  is_followed: boolean
  amount: number
}>(`
  with target as materialized (
    select profile.account_id
    from public_profiles profile
    join accounts account on account.id = profile.account_id
    join account_refs reference on reference.id = account.id
    where ${IS_PUBLISHED} and profile.account_id = $2 and profile.account_id <> $1
    for key share of reference
  ), known as (
    select count(*) as amount, coalesce(bool_or(followed_id = $2), false) as is_followed
    from follows
    where account_id = $1
  ), added as (
    insert into follows (account_id, followed_id)
    select $1, target.account_id
    from target
    cross join known
    where known.amount < ${MAX_FOLLOWED}
    on conflict do nothing
  )
  select exists (select from target) as is_public, known.is_followed, known.amount from known`)

/** `missing` if the profile is not public or is the user's own. */
export type FollowOutcome = 'followed' | 'missing' | 'too_many'

/** Follows a public profile, or does nothing if the user already does. */
export const followProfile = (
  db: Database,
  accountId: number,
  followedId: number,
): Promise<FollowOutcome> =>
  inTransaction(db, async (trx) => {
    // A separate statement: after waiting for the lock, the next one counts rows that were added in the meantime.
    if (!(await queryRow(trx, LOCK, [accountId]))) return 'missing'
    const found = await queryRow(trx, FOLLOW, [accountId, followedId])
    if (!found?.is_public) return 'missing'
    return found.is_followed || found.amount < MAX_FOLLOWED ? 'followed' : 'too_many'
  })

const UNFOLLOW = statement('profiles.unfollow').sql(
  'delete from follows where account_id = $1 and followed_id = $2',
)

export const unfollowProfile = (db: Database, accountId: number, followedId: number) =>
  queryRows(db, UNFOLLOW, [accountId, followedId])

const UNFOLLOW_HIDDEN = statement('profiles.unfollow_hidden').sql(`
  delete from follows
  where account_id = $1
    and not exists (
      select
      from public_profiles profile
      join accounts account on account.id = profile.account_id
      where ${IS_PUBLISHED} and profile.account_id = follows.followed_id
    )`)

/** Unfollows all profiles that are not public any more. */
export const unfollowHidden = (db: Database, accountId: number) =>
  queryRows(db, UNFOLLOW_HIDDEN, [accountId])

const IS_FOLLOWED = statement('profiles.is_followed').sql(
  'select from follows where account_id = $1 and followed_id = $2',
)

export const isFollowed = async (db: Database, accountId: number, followedId: number) =>
  (await queryRow(db, IS_FOLLOWED, [accountId, followedId])) !== undefined

const LIST = statement('profiles.list_followed').returning<ProfileCard>(`
  select
    profile.account_id, profile.name, coalesce(account.nickname, account.name) as display_name, account.picture,
    account.bio, profile.shows_list
  from follows
  join public_profiles profile on profile.account_id = follows.followed_id
  join accounts account on account.id = profile.account_id
  where follows.account_id = $1 and ${IS_PUBLISHED}
  order by lower(coalesce(account.nickname, account.name)), profile.account_id`)

/** Lists the public profiles that a user follows, by name. */
export const listFollowed = (db: Database, accountId: number): Promise<ProfileCard[]> =>
  queryRows(db, LIST, [accountId])
