import { byWorkKind, type WorkKind } from '../../../catalog/kinds.ts'
import { faultsIn, validatorCompiler } from '../../../http/wire/requests/validation.ts'
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
  const compile = validatorCompiler()
  const validators = byWorkKind((kind) =>
    compile({ schema: ratingChange(kind), method: 'PUT', url: '', httpPart: 'body' }),
  )
  return (kind, fields) => {
    const validate = validators[kind]
    const { change, faults } =
      validate(fields) === true
        ? parseRatingChange(kind, fields)
        : { change: {}, faults: unifyScoreFaults(faultsIn(errorsOf(validate))) }
    const [fault] = faults
    return fault ? { reason: { code: 'invalid', fault } } : { change }
  }
}

// as: an Ajv validator, which stores its errors on the function
const errorsOf = (validate: object) =>
  (validate as { errors?: Parameters<typeof faultsIn>[0] }).errors ?? []
