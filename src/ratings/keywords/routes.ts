import type { FastifyInstance } from 'fastify'
import type { Database } from '../../db/database.ts'
import { derivedDataRoutes, type DerivedDataAccess } from '../send-work-response.ts'
import type { FindKeywords, Keyword } from './keywords.ts'
import { RatingKeywords } from './schemas.ts'

export const keywordRoutes = (
  app: FastifyInstance,
  db: Database,
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
