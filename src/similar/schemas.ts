import { Type } from 'typebox'
import { EntrySummary } from '../browse/summary.ts'
import { WORK_KINDS } from '../catalog/kinds.ts'
import { Named, Ref, StringEnum } from '../http/wire/schemas.ts'
import { MAX_SIMILAR } from './compute-queries.ts'

/** Why a work is similar, in one word. */
const SIMILAR_REASONS = ['READERS', 'SERIES', 'STAFF', 'TAGS', 'PRODUCER'] as const

/** A work that is similar to another. */
const SimilarWork = Named('SimilarWork', {
  reason: StringEnum(SIMILAR_REASONS, {
    title: 'SimilarReason',
    description:
      'The strongest reason: the same readers like both, a relation or characters in common, people, tags, or a producer',
  }),
  work: Ref(EntrySummary),
})

export const SimilarWorks = Named('SimilarWorks', {
  items: Type.Array(Ref(SimilarWork), {
    maxItems: MAX_SIMILAR,
    description: 'The most similar first; none of a work that was added seconds ago',
  }),
})

/** In the order in which they refer to each other. */
export const SIMILAR_SCHEMAS = [SimilarWork, SimilarWorks]

export const SimilarQuery = Type.Object(
  {
    types: Type.Optional(
      Type.Array(StringEnum(WORK_KINDS, { title: 'WorkKind' }), {
        description:
          'Kinds of works to look for; without it those of its own kind. Separated by commas, or the parameter several times',
      }),
    ),
  },
  { style: 'form', explode: false },
)
