import { Type } from 'typebox'
import { Named, Ref } from '../../http/wire/schemas.ts'

const RatingKeyword = Named('RatingKeyword', {
  keyword: Type.String(),
  count: Type.Integer({ minimum: 2, description: 'Number of reviews that use the word' }),
})

const RatingWord = Named('RatingWord', { word: Type.String(), count: Type.Integer({ minimum: 2 }) })

/** Keywords from a work's reviews (decision 0013). */
export const RatingKeywords = Named('RatingKeywords', {
  items: Type.Array(Ref(RatingKeyword), { description: 'Most used first, at most 50' }),
  keywords: Type.Array(Ref(RatingWord), {
    description: 'Same words as `items`, for clients that read this format',
  }),
})

export const KEYWORD_SCHEMAS = [RatingKeyword, RatingWord, RatingKeywords]
