import { createHash } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { Id, Named, NullableInteger } from './schemas.ts'

const media = {
  id: Id,
  src: Type.String({ description: 'Absolute URL' }),
  width: NullableInteger,
  height: NullableInteger,
}

/** A picture in user data, where the catalog uses OpenMediaDto (§2.2). */
export const MediaDto = Named('MediaDto', media)
export type MediaDto = Static<typeof MediaDto>

const grade = (kind: string) =>
  Type.Integer({ minimum: 0, maximum: 2, description: `${kind}: 0 is safe` })

/** A picture with its content grades. */
export const RatedMediaDto = Named('RatedMediaDto', {
  ...media,
  nsfw: Type.Boolean({ description: 'True if either grade is above 0' }),
  sexual: grade('Sexual content'),
  violence: grade('Violence'),
})
export type RatedMediaDto = Static<typeof RatedMediaDto>

/** Pictures are identified by URL only, so the id is 48 bits of the URL's hash. */
const mediaId = (url: string) => 1 + createHash('sha256').update(url).digest().readUIntBE(0, 6)

export const toMedia = (
  url: string,
  width: number | null = null,
  height: number | null = null,
): MediaDto => ({ id: mediaId(url), src: url, width, height })

/** Converts a catalog picture to RatedMediaDto (§2.2). */
export const toRatedMedia = (picture: {
  url: string
  width: number | null
  height: number | null
  sexual: number
  violence: number
}): RatedMediaDto => ({
  ...toMedia(picture.url, picture.width, picture.height),
  nsfw: picture.sexual > 0 || picture.violence > 0,
  sexual: picture.sexual,
  violence: picture.violence,
})
