import { byWorkKind, type WorkKind } from '../../../catalog/kinds.ts'
import { createFaultFinder } from '../../../http/wire/requests/validation.ts'
import type { RatingChange } from '../../fields.ts'
import { unifyScoreFaults, parseRatingChange } from '../../own/rating-rules.ts'
import { ratingChange } from '../../own/schemas.ts'
import type { ImportReason } from '../formats/import-reason.ts'

/** Returns the change that a row makes, or why the row is invalid. */
export type ValidateRow = (
  kind: WorkKind,
  fields: Record<string, unknown>,
) => { change: RatingChange } | { reason: ImportReason }

/** Creates a validator that applies the rules of PUT to the rows of a file. */
export function rowValidator(): ValidateRow {
  const finders = byWorkKind((kind) => createFaultFinder(ratingChange(kind), 'body'))
  return (kind, fields) => {
    const schemaFaults = finders[kind](fields)
    const { change, faults } =
      schemaFaults.length > 0
        ? { change: {}, faults: unifyScoreFaults(schemaFaults) }
        : parseRatingChange(kind, fields)
    const [fault] = faults
    return fault ? { reason: { code: 'invalid', fault } } : { change }
  }
}
