import type { WorkKind } from '../../catalog/kinds.ts'
import type { RequestFault } from '../../http/wire/errors/fault.ts'
import { readFreeText } from '../../http/wire/requests/free-text.ts'
import {
  isScore,
  MAX_REVIEW_LENGTH,
  pickFields,
  ratingFieldsOf,
  SUB_SCORES,
  type RatingChange,
} from '../fields.ts'

/** Reports every invalid score under one code, whichever part of the rule it violates. */
export const unifyScoreFaults = (faults: RequestFault[]): RequestFault[] =>
  faults.map((fault) =>
    isScore(fault.field) && fault.kind !== 'additionalProperties'
      ? { ...fault, code: 'score' }
      : fault,
  )

const hasOneDecimal = (score: number) => Number(score.toFixed(1)) === score

/**
 * Applies the rules that the schema cannot express (decision 0013).
 *
 * @param body a body that satisfies the schema, or the part of a body that does
 * @returns the change to store, and the faults of the body
 */
export function parseRatingChange(kind: WorkKind, body: RatingChange) {
  const faults: RequestFault[] = []
  const change = pickFields(body, ratingFieldsOf(kind))
  for (const name of ['rate', ...SUB_SCORES[kind]] as const) {
    const score = change[name]
    if (typeof score === 'number' && !hasOneDecimal(score))
      faults.push({ field: name, code: 'score' })
  }
  if (change.rate_content !== undefined) {
    const review = readFreeText(change.rate_content, MAX_REVIEW_LENGTH)
    if ('fault' in review) faults.push({ field: 'rate_content', ...review.fault })
    else change.rate_content = review.text
  }
  return { change, faults }
}
