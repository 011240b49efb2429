import type { FastifyInstance } from 'fastify'
import { Type, type TObject } from 'typebox'
import { sendUncached } from '../../catalog/cache/send-cached.ts'
import { entryIdOf, ENTRY_OPERATION } from '../../catalog/catalog-app.ts'
import { KINDS, WORK_KINDS } from '../../catalog/kinds.ts'
import { requireVisible, seesNsfw } from '../../catalog/visibility.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import { documentedRoute } from '../../http/document/operation.ts'
import { Paged, paged, pageOfCollection, type PageQuery } from '../../http/wire/requests/paging.ts'
import { notOneOf, validationError } from '../../http/wire/errors/refusals.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import {
  readChoices,
  readMultiValue,
  validatePageOnly,
  type SeveralValues,
} from '../../http/wire/requests/multiple-values.ts'
import { MAI, NAGISA } from '../../catalog/example-parts.ts'
import { CLANNAD, PLANETARIAN } from '../example-summaries.ts'
import { findWorksOf, LINKED_KINDS, type LinkedKind } from './queries.ts'
import { CharacterWork, PersonWork, ProducerWork, WorksQuery } from './schemas.ts'

type Query = PageQuery & { type?: SeveralValues; role?: SeveralValues }

/** Response for the bundled sample, with a page size of one. A test compares it with the service. */
const exampleOf = (work: object, role: object, total: number) =>
  paged([{ work, roles: [role] }], { page: 1, pageSize: 1 }, total)

const DOCUMENTATION: Record<LinkedKind, { schema: TObject; summary: string; example: unknown }> = {
  person: {
    schema: PersonWork,
    summary: 'Works a person contributed to',
    example: exampleOf(
      CLANNAD,
      { role: 'VOICE', credited_as: null, note: '', character: NAGISA },
      2,
    ),
  },
  producer: {
    schema: ProducerWork,
    summary: 'Works a producer developed or published',
    example: exampleOf(PLANETARIAN, { role: 'LOCALIZER', note: '' }, 2),
  },
  character: {
    schema: CharacterWork,
    summary: 'Works a character appears in',
    example: exampleOf(CLANNAD, { role: 'MAIN', actors: [MAI] }, 1),
  },
}

/** Maximum number of roles per request. */
const MAX_ROLES = 50

const invalidRole = () =>
  validationError([
    { field: 'role', kind: 'role', code: 'role.invalid', params: { max: MAX_ROLES } },
  ])

/** Registers `people/{id}/works` and the corresponding routes for producers and characters (decision 0018). */
export function backLinkRoutes(app: FastifyInstance, db: Reads) {
  for (const kind of LINKED_KINDS) worksRoute(app, db, kind)
}

function worksRoute(app: FastifyInstance, db: Reads, kind: LinkedKind) {
  const { path, tag, singular } = KINDS[kind]
  const { schema, summary, example } = DOCUMENTATION[kind]
  app.get<{ Querystring: Query }>(
    `/${path}/:id/works`,
    {
      ...documentedRoute({
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
      return sendUncached(request, reply, await requireVisible(found, request, db, kind, id))
    },
  )
}

function readRoles(sent: SeveralValues): string[] | undefined {
  const roles = readMultiValue(sent)
  if (roles.length > MAX_ROLES || !roles.every((role) => /^[A-Za-z_]{1,40}$/.test(role)))
    throw invalidRole()
  return roles.length > 0 ? roles.map((role) => role.toUpperCase()) : undefined
}
