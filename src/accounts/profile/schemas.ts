import { Type } from 'typebox'
import { DateTime, Id, Named, NullableText } from '../../http/wire/schemas.ts'

/** Who a reader is; the e-mail address is told at `/oidc/me`, for its own scope. */
export const Profile = Named('Profile', {
  id: Id,
  name: Type.String(),
  nickname: NullableText,
  picture: NullableText,
  bio: Type.String({ description: "'' when there is none" }),
  created_at: DateTime,
})
