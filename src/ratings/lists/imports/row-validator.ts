import type { WorkKind } from '../../../catalog/kinds.ts'
import { faultsIn, validatorCompiler } from '../../../http/wire/requests/validation.ts'
import type { RatingChange } from '../../fields.ts'
import { unifyScoreFaults, parseRatingChange } from '../../own/rating-rules.ts'
import { ratingChange } from '../../own/schemas.ts'
import type { ImportReason } from '../formats/import-reason.ts'

/** What a row changes, or why it is refused, by the rules of PUT. */
export type ValidateRow = (
  kind: WorkKind,
  fields: Record<string, unknown>,
) => { change: RatingChange } | { reason: ImportReason }

/** Compiles the rules: what PUT would refuse of a work of the kind is refused in a file too. */
export function rowValidator(): ValidateRow {
  const compile = validatorCompiler()
  const validatorOf = (kind: WorkKind) =>
    compile({ schema: ratingChange(kind), method: 'PUT', url: '', httpPart: 'body' })
  const validators = {
    galgame: validatorOf('galgame'),
    light_novel: validatorOf('light_novel'),
    manga: validatorOf('manga'),
  }
  return (kind, fields) => {
    const validate = validators[kind]
    const isValid = validate(fields) === true
    const read = isValid
      ? parseRatingChange(kind, fields)
      : { change: {}, faults: unifyScoreFaults(faultsIn(errorsOf(validate))) }
    const [fault] = read.faults
    return fault ? { reason: { code: 'invalid', fault } } : { change: read.change }
  }
}

// as: what the compiler gives is Ajv's, which leaves its errors on the function
const errorsOf = (validate: object) =>
  (validate as { errors?: Parameters<typeof faultsIn>[0] }).errors ?? []
