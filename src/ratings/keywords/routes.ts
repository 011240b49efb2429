import type { FastifyInstance } from 'fastify'
import { KINDS, WORK_KINDS } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { documentedRoute } from '../../http/document/operation.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import { REVIEW_OPERATION, sendWorkResponse, WITHOUT_TOKEN } from '../send-work-response.ts'
import type { FindKeywords } from './keyword-cache.ts'
import type { Keyword } from './keywords.ts'
import { RatingKeywords } from './schemas.ts'

/** Registers the routes of keywords. Those of adult works are public too, because keywords do not identify the work. */
export function keywordRoutes(
  app: FastifyInstance,
  db: Database,
  access: 'catalog' | 'anonymous',
  findKeywords: FindKeywords,
) {
  for (const kind of WORK_KINDS) {
    const operationId = `get${KINDS[kind].singular}RatingKeywords`
    app.get<{ Params: { id: string } }>(
      `/${KINDS[kind].path}/:id/rates/keywords`,
      documentedRoute({
        ...REVIEW_OPERATION,
        access,
        success: { 200: Envelope(Ref(RatingKeywords)) },
        example: toResponse([{ keyword: 'ending', count: 12 }]),
        ...(access === 'anonymous'
          ? { operationId: `${operationId}Anonymously`, summary: WITHOUT_TOKEN }
          : { operationId, summary: 'Words that several reviews of a work use' }),
      }),
      async (request, reply) => {
        const id = parseId(request.params.id)
        const found = await findKeywords(kind, id)
        const data = found && { nsfw: false, data: toResponse(found) }
        return sendWorkResponse(request, reply, { db, kind, id }, data)
      },
    )
  }
}

/** Clients read the words from `keywords`; `items` is the name that every other list of the API has. */
const toResponse = (items: Keyword[]) => ({
  items,
  keywords: items.map(({ keyword, count }) => ({ word: keyword, count })),
})
