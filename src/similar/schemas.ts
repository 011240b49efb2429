import { Type } from 'typebox'
import { EntrySummary } from '../browse/summary.ts'
import { WORK_KINDS } from '../catalog/kinds.ts'
import { Named, Ref, StringEnum } from '../http/wire/schemas.ts'
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
