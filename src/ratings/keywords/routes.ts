import type { FastifyInstance } from 'fastify'
import type { Reads } from '../../db/replicas/reads.ts'
import { type DerivedDataAccess, derivedDataRoutes } from '../send-work-response.ts'
import type { FindKeywords, Keyword } from './keywords.ts'
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

export const keywordRoutes = (
  app: FastifyInstance,
  db: Reads,
  access: DerivedDataAccess,
  findKeywords: FindKeywords,
) =>
  derivedDataRoutes(app, db, access, {
    segment: 'keywords',
    name: 'Keywords',
    summary: 'Words that several reviews of a work use',
    schemaOf: () => RatingKeywords,
    exampleOf: () => toResponse([{ keyword: 'ending', count: 12 }]),
    async find(kind, workId) {
      const keywords = await findKeywords(kind, workId)
      return keywords && toResponse(keywords)
    },
  })

/** Clients read the words from `keywords`; `items` is the name that all other lists of the API use. */
const toResponse = (items: Keyword[]) => ({
  items,
  keywords: items.map(({ keyword, count }) => ({ word: keyword, count })),
})
