import type { FastifyInstance } from 'fastify'
import { KINDS, WORK_KINDS } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { operation } from '../../http/document/operation.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import { REVIEW_OPERATION, sendWorkResponse } from '../send-work-response.ts'
import type { FindKeywords } from './keyword-cache.ts'
import type { Keyword } from './keywords.ts'
import { RatingKeywords } from './schemas.ts'

export type KeywordRoutes = { app: FastifyInstance; db: Database; findKeywords: FindKeywords }

/** Keyword routes for catalog tokens. */
export const keywordRoutes = (routes: KeywordRoutes) =>
  addRoutes(routes, 'catalog', {
    nameOf: (singular) => `get${singular}RatingKeywords`,
    summary: 'Words that several reviews of a work use',
  })

/** Keyword routes without a token: keywords do not identify the work. */
export const anonymousKeywordRoutes = (routes: KeywordRoutes) =>
  addRoutes(routes, 'anonymous', {
    nameOf: (singular) => `get${singular}RatingKeywordsAnonymously`,
    summary: 'The same without a token; requests are counted by client address',
  })

function addRoutes(
  { app, db, findKeywords }: KeywordRoutes,
  access: 'catalog' | 'anonymous',
  { nameOf, summary }: { nameOf: (singular: string) => string; summary: string },
) {
  for (const kind of WORK_KINDS) {
    const { path, singular } = KINDS[kind]
    app.get<{ Params: { id: string } }>(
      `/${path}/:id/rates/keywords`,
      {
        config: { access },
        schema: operation({
          ...REVIEW_OPERATION,
          access,
          operationId: nameOf(singular),
          summary,
          success: { 200: Envelope(Ref(RatingKeywords)) },
          example: answerOf([{ keyword: 'ending', count: 12 }]),
        }),
      },
      async (request, reply) => {
        const id = parseId(request.params.id)
        const found = await findKeywords(kind, id)
        return sendWorkResponse(
          request,
          reply,
          { db, kind, id },
          found && { nsfw: false, data: answerOf(found) },
        )
      },
    )
  }
}

/** Client programs read the words from `keywords`; `items` is how every other list of ours is named. */
const answerOf = (items: Keyword[]) => ({
  items,
  keywords: items.map(({ keyword, count }) => ({ word: keyword, count })),
})
