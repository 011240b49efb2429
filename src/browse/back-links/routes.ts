import type { FastifyInstance } from 'fastify'
import { Type, type TObject } from 'typebox'
import { entryIdOf, ENTRY_OPERATION } from '../../catalog/catalog-app.ts'
import { toCachedResponse } from '../../catalog/cache/cached-response.ts'
import { KINDS, WORK_KINDS } from '../../catalog/kinds.ts'
import { sendCached } from '../../catalog/cache/send-cached.ts'
import { requireVisible, seesNsfw } from '../../catalog/visibility.ts'
import type { Database } from '../../db/database.ts'
import { operation } from '../../http/document/operation.ts'
import { Paged, pageOfCollection, type PageQuery } from '../../http/wire/requests/paging.ts'
import { notOneOf, validationError } from '../../http/wire/errors/refusals.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import {
  readChoices,
  readMultiValue,
  validatePageOnly,
  type SeveralValues,
} from '../../http/wire/requests/multiple-values.ts'
import { CHARACTER_WORKS, PERSON_WORKS, PRODUCER_WORKS } from './examples.ts'
import { findWorksOf, LINKED_KINDS, type LinkedKind } from './queries.ts'
import { CharacterWork, PersonWork, ProducerWork, WorksQuery } from './schemas.ts'

type Query = PageQuery & { type?: SeveralValues; role?: SeveralValues }

const DOCUMENTATION: Record<LinkedKind, { schema: TObject; summary: string; example: unknown }> = {
  person: { schema: PersonWork, summary: 'Works a person contributed to', example: PERSON_WORKS },
  producer: {
    schema: ProducerWork,
    summary: 'Works a producer developed or published',
    example: PRODUCER_WORKS,
  },
  character: {
    schema: CharacterWork,
    summary: 'Works a character appears in',
    example: CHARACTER_WORKS,
  },
}

/** Maximum number of roles per request. */
const MAX_ROLES = 50

const invalidRole = () =>
  validationError([
    { field: 'role', kind: 'role', code: 'role.invalid', params: { max: MAX_ROLES } },
  ])

/** Registers `people/{id}/works` and the corresponding routes for producers and characters (decision 0018). */
export function backLinkRoutes(app: FastifyInstance, db: Database) {
  for (const kind of LINKED_KINDS) worksRoute(app, db, kind)
}

function worksRoute(app: FastifyInstance, db: Database, kind: LinkedKind) {
  const { path, tag, singular } = KINDS[kind]
  const { schema, summary, example } = DOCUMENTATION[kind]
  app.get<{ Querystring: Query }>(
    `/${path}/:id/works`,
    {
      schema: operation({
        ...ENTRY_OPERATION,
        tag,
        operationId: `list${singular}Works`,
        summary: `${summary}, newest first`,
        description:
          'Each work is returned once, with all roles of the entry. Works without a date come last.',
        querystring: Type.Object(WorksQuery.properties, { style: 'form', explode: false }),
        success: { 200: Envelope(Paged(Ref(schema))) },
        example,
        faults: { badType: notOneOf('type', WORK_KINDS), badRole: invalidRole() },
      }),
      config: { access: 'catalog' },
      validatorCompiler: validatePageOnly,
    },
    async (request, reply) => {
      const id = entryIdOf(request)
      const page = pageOfCollection(request.query)
      const filter = {
        types: readChoices('type', request.query.type, WORK_KINDS),
        roles: readRoles(request.query.role),
        seesNsfw: seesNsfw(request),
      }
      // The response is not cached, because numbers of users and scores change without a catalog change.
      const found = await findWorksOf(db, kind, id, filter, page)
      sendCached(
        request,
        reply,
        await requireVisible(found && toCachedResponse(found), request, db, kind, id),
      )
      return reply
    },
  )
}

function readRoles(sent: SeveralValues): string[] | undefined {
  const roles = readMultiValue(sent)
  if (roles.length > MAX_ROLES || !roles.every((role) => /^[A-Za-z_]{1,40}$/.test(role)))
    throw invalidRole()
  return roles.length > 0 ? roles.map((role) => role.toUpperCase()) : undefined
}
