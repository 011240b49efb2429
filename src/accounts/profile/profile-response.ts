import { toMedia } from '../../http/wire/media.ts'
import { absolutePictureUrl } from '../../uploads/upload-path.ts'
import type { Account } from '../queries.ts'
import type { Profile } from './schemas.ts'

/** Fields that clients expect but that have no meaning in this service. */
const WITHOUT_MEANING_HERE = {
  signature: null,
  head_cover: null,
  mobile_head_cover: null,
  follower_count: 0,
  following_count: 0,
  is_following: false,
  is_mutual: false,
  equipped_frame: null,
  equipped_badges: [],
} satisfies Partial<Profile>

/**
 * Returns an account's profile as its user sees it (decision 0014).
 *
 * @param origin base URL for uploaded pictures
 */
export function toProfile(account: Account, origin: string): Profile {
  const picture = account.picture === null ? null : absolutePictureUrl(account.picture, origin)
  return {
    id: account.id,
    name: account.name,
    nickname: account.nickname,
    avatar: picture === null ? null : toMedia(picture),
    bio: account.bio || null,
    role: 'USER',
    status: account.banned_at === null ? 'ACTIVE' : 'BANNED',
    ...WITHOUT_MEANING_HERE,
    picture,
    created_at: account.created_at.toISOString(),
  }
}
