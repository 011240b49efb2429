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

const unused = (value: string) => ({ description: `Always ${value}; for compatibility` })

/** Profile of a user. The email address is only available at `/oidc/me`, under a separate scope. */
export const Profile = Named('Profile', {
  id: Id,
  name: Type.String(),
  nickname: NullableText,
  avatar: Nullable(Ref(MediaDto)),
  bio: NullableText,
  signature: Type.Null(unused('null')),
  head_cover: Type.Null(unused('null')),
  mobile_head_cover: Type.Null(unused('null')),
  role: StringEnum(['USER', 'ADMIN', 'SUPER_ADMIN'], {
    title: 'ProfileRole',
    description: 'Always `USER`',
  }),
  status: StringEnum(['ACTIVE', 'INACTIVE', 'BANNED'], { title: 'ProfileStatus' }),
  follower_count: Type.Literal(0, unused('0')),
  following_count: Type.Literal(0, unused('0')),
  is_following: Type.Literal(false, unused('false')),
  is_mutual: Type.Literal(false, unused('false')),
  equipped_frame: Type.Null(unused('null')),
  equipped_badges: Type.Array(Type.Unknown(), { maxItems: 0, ...unused('empty') }),
  picture: Nullable(Type.String(), { description: 'Same as `avatar.src`' }),
  created_at: DateTime,
})
export type Profile = Static<typeof Profile>
