import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { sendUncached } from '../catalog/cache/send-cached.ts'
import { readChoices, type SeveralValues } from '../http/wire/requests/multiple-values.ts'
import { CHOBITS, CLANNAD, RAGNAROK } from '../browse/example-summaries.ts'
import { EntrySummary } from '../browse/summary.ts'
import { ENTRY_OPERATION, entryIdOf } from '../catalog/catalog-app.ts'
import { KINDS, WORK_KINDS, type WorkKind } from '../catalog/kinds.ts'
import { OpenCoverDto } from '../catalog/schemas.ts'
import { requireVisible, seesNsfw } from '../catalog/visibility.ts'
import type { Reads } from '../db/replicas/reads.ts'
import { documentedRoute } from '../http/document/operation.ts'
import { addSchemas } from '../http/wire/requests/compilers.ts'
import { CATALOG_PREFIXES, onBothFamilies } from '../http/wire/addresses/path-families.ts'
import { notOneOf } from '../http/wire/errors/refusals.ts'
import { Envelope, Named, Ref, StringEnum } from '../http/wire/schemas.ts'
import { findSimilar } from './queries.ts'
import { MAX_SIMILAR } from './compute-queries.ts'

const SIMILAR_REASONS = ['READERS', 'SERIES', 'STAFF', 'TAGS', 'PRODUCER'] as const

const SimilarWork = Named('SimilarWork', {
  reason: StringEnum(SIMILAR_REASONS, {
    title: 'SimilarReason',
    description:
      'The strongest reason: the same users like both, or they share a relation or characters, people, tags, or a producer',
  }),
  work: Ref(EntrySummary),
})

export const SimilarWorks = Named('SimilarWorks', {
  items: Type.Array(Ref(SimilarWork), {
    maxItems: MAX_SIMILAR,
    description: 'Most similar first. May be empty for a few seconds after a work is added.',
  }),
})

export const SIMILAR_SCHEMAS = [SimilarWork, SimilarWorks]

export const SimilarQuery = Type.Object(
  {
    types: Type.Optional(
      Type.Array(StringEnum(WORK_KINDS, { title: 'WorkKind' }), {
        description:
          'Kinds of works to return; by default only the kind of the work itself. Separate them by commas, or repeat the parameter',
      }),
    ),
  },
  { style: 'form', explode: false },
)

/**
 * Shortened responses of the bundled sample for planetarian, 涼宮ハルヒシリーズ and ×××HOLiC. A test compares them with the
 * service.
 */
const EXAMPLES = {
  galgame: { items: [{ reason: 'STAFF', work: CLANNAD }] },
  light_novel: { items: [{ reason: 'PRODUCER', work: RAGNAROK }] },
  manga: { items: [{ reason: 'PRODUCER', work: CHOBITS }] },
}

/** Registers the routes that return similar works (decision 0018). */
export async function similar(app: FastifyInstance, { db }: { db: Reads }) {
  addSchemas(app, [OpenCoverDto, EntrySummary, ...SIMILAR_SCHEMAS])

  await onBothFamilies(app, CATALOG_PREFIXES, (scope) => {
    for (const kind of WORK_KINDS) similarRoute(scope, db, kind)
  })
}

function similarRoute(app: FastifyInstance, db: Reads, kind: WorkKind) {
  const { path, tag, singular, description } = KINDS[kind]
  app.get<{ Querystring: { types?: SeveralValues } }>(
    `/${path}/:id/similar`,
    {
      ...documentedRoute({
        ...ENTRY_OPERATION,
        tag,
        operationId: `listSimilarTo${singular}`,
        summary: `Works that are similar to ${description.toLowerCase()}, at most twenty`,
        description:
          'Based on works that the same users rate highly. If there are too few such users, based on common relations, ' +
          'characters, people, tags and producers. Private ratings are not used.',
        querystring: SimilarQuery,
        success: { 200: Envelope(Ref(SimilarWorks)) },
        example: EXAMPLES[kind],
        faults: { badTypes: notOneOf('types', WORK_KINDS) },
      }),
      // The schema describes only one of the two formats that `readChoices` accepts.
      validatorCompiler: () => () => true,
    },
    async (request, reply) => {
      const id = entryIdOf(request)
      const types = readChoices('types', request.query.types, WORK_KINDS) ?? [kind]
      const found = await findSimilar(db, { kind, id }, types, seesNsfw(request))
      return sendUncached(request, reply, await requireVisible(found, request, db, kind, id))
    },
  )
}
