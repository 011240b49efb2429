import type { WorkKind } from '../../catalog/kinds.ts'
import type { FieldError } from '../../http/wire/errors.ts'
import { ruleFault } from '../../http/wire/refusals.ts'
import { readFreeText } from '../../http/wire/free-text.ts'
import { REVIEW_LENGTH, SUB_SCORES, type RatingChange } from '../fields.ts'

export type ReadChange = { change: RatingChange; faults: FieldError[] }

/** Whether it is written with one decimal at most. */
const hasOneDecimal = (score: number) => Number(score.toFixed(1)) === score

/**
 * What a body changes, as it is to be kept (decision 0013), and what the schema cannot see is wrong with it.
 *
 * @param body admitted by the schema, or the part of it that was
 */
export function readChange(kind: WorkKind, body: RatingChange): ReadChange {
  const faults: FieldError[] = []
  const { status, status_private, is_spoiler, time_to_finish_minutes, rate_content } = body
  const change: RatingChange = {
    ...(status !== undefined && { status }),
    ...(status_private !== undefined && { status_private }),
    ...(is_spoiler !== undefined && { is_spoiler }),
    ...(time_to_finish_minutes !== undefined && { time_to_finish_minutes }),
  }
  for (const name of ['rate', ...SUB_SCORES[kind]] as const) {
    const score = body[name]
    if (score === undefined) continue
    if (score !== null && !hasOneDecimal(score)) faults.push(ruleFault(name, 'must have at most one decimal'))
    change[name] = score
  }
  if (rate_content !== undefined) {
    const read = readFreeText(rate_content, REVIEW_LENGTH)
    if ('fault' in read) faults.push(ruleFault('rate_content', read.fault))
    else change.rate_content = read.text
  }
  return { change, faults }
}
