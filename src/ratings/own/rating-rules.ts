import type { WorkKind } from '../../catalog/kinds.ts'
import type { RequestFault } from '../../http/wire/errors/fault.ts'
import { readFreeText } from '../../http/wire/requests/free-text.ts'
import {
  isScore,
  pickFields,
  ratingFieldsOf,
  MAX_REVIEW_LENGTH,
  SUB_SCORES,
  type RatingChange,
} from '../fields.ts'

/** Reports every invalid score under one rule, whichever part of the rule it violates. */
export const unifyScoreFaults = (faults: RequestFault[]): RequestFault[] =>
  faults.map((fault) =>
    isScore(fault.field) && fault.kind !== 'additionalProperties'
      ? { ...fault, code: 'score' }
      : fault,
  )

export type ReadChange = { change: RatingChange; faults: RequestFault[] }

/** Whether it is written with one decimal at most. */
const hasOneDecimal = (score: number) => Number(score.toFixed(1)) === score

/**
 * What a body changes, as it is to be stored (decision 0013), and what the schema cannot see is wrong with it.
 *
 * @param body admitted by the schema, or the part of it that was
 */
export function parseRatingChange(kind: WorkKind, body: RatingChange): ReadChange {
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
