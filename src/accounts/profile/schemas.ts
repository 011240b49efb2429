import { Type, type Static } from 'typebox'
import { MediaDto } from '../../http/wire/media.ts'
import {
  DateTime,
  Id,
  Named,
  Nullable,
  NullableText,
  Ref,
  StringEnum,
} from '../../http/wire/schemas.ts'

const nothing = (description: string) => ({
  description: `${description}: there is no such thing here`,
})

/** Profile of a user. The email address is only at `/oidc/me`, under its own scope. */
export const Profile = Named('Profile', {
  id: Id,
  name: Type.String(),
  nickname: NullableText,
  avatar: Nullable(Ref(MediaDto)),
  bio: NullableText,
  signature: Type.Null(nothing('null')),
  head_cover: Type.Null(nothing('null')),
  mobile_head_cover: Type.Null(nothing('null')),
  role: StringEnum(['USER', 'ADMIN', 'SUPER_ADMIN'], {
    title: 'ProfileRole',
    description: 'Always `USER`',
  }),
  status: StringEnum(['ACTIVE', 'INACTIVE', 'BANNED'], { title: 'ProfileStatus' }),
  follower_count: Type.Literal(0, nothing('0')),
  following_count: Type.Literal(0, nothing('0')),
  is_following: Type.Literal(false, nothing('false')),
  is_mutual: Type.Literal(false, nothing('false')),
  equipped_frame: Type.Null(nothing('null')),
  equipped_badges: Type.Array(Type.Unknown(), { maxItems: 0, ...nothing('Empty') }),
  picture: Type.Union([Type.String(), Type.Null()], { description: '`src` of the avatar' }),
  created_at: DateTime,
})
export type Profile = Static<typeof Profile>
