import type { FastifyRequest } from 'fastify'
import type { WorkKind } from '../../../catalog/kinds.ts'
import { fieldOf } from '../../../ui/forms/form-field.ts'
import type { Messages } from '../../../ui/messages.ts'
import {
  hasTimeToFinish,
  MAX_MINUTES_TO_FINISH,
  STATUSES,
  SUB_SCORES,
  type RatingChange,
} from '../../../ratings/fields.ts'
import { parseRatingChange } from '../../../ratings/own/rating-rules.ts'

/** Fields read from a form, and the errors, keyed by field. */
export type ReadForm = { change: RatingChange; faults: Record<string, string> }

/** Accepted spellings of a score: `8`, `8.5`, `8,5`, after full-width digits have been normalized. */
const SCORE = /^\d{1,2}([.,]\d*)?$/

/** Reads the status and score from the form on a card or list. Missing fields stay unchanged. */
export function readQuickRating(
  request: FastifyRequest,
  kind: WorkKind,
  texts: Messages['library'],
): ReadForm {
  return read(request, kind, texts, ['status', 'rate'])
}

/** Reads the full form. Empty fields are cleared, and unchecked boxes are false. */
export function readRatingForm(
  request: FastifyRequest,
  kind: WorkKind,
  texts: Messages['library'],
): ReadForm {
  const { change, faults } = read(request, kind, texts, ['status', 'rate', ...SUB_SCORES[kind]])
  const isTicked = (name: string) => fieldOf(request, name) === 'yes'
  const others: RatingChange = {
    rate_content: fieldOf(request, 'rate_content').trim(),
    is_spoiler: isTicked('is_spoiler'),
    status_private: isTicked('status_private'),
  }
  if (hasTimeToFinish(kind)) {
    const minutes = minutesIn(fieldOf(request, 'hours'), fieldOf(request, 'minutes'))
    if (minutes === undefined) faults['hours'] = texts.faults.time
    else others.time_to_finish_minutes = minutes
  }
  const { change: ruled, faults: broken } = parseRatingChange(kind, { ...change, ...others })
  // Scores were validated above, so only the review can be invalid.
  for (const { field } of broken) faults[field] ??= texts.faults.review
  return { change: ruled, faults }
}

function read(
  request: FastifyRequest,
  kind: WorkKind,
  texts: Messages['library'],
  names: readonly ('status' | 'rate' | (typeof SUB_SCORES)[WorkKind][number])[],
): ReadForm {
  const faults: Record<string, string> = {}
  const change: RatingChange = {}
  for (const name of names) {
    if (!isSent(request, name)) continue
    const text = fieldOf(request, name).trim().normalize('NFKC')
    if (name === 'status') {
      const status = STATUSES.find((item) => item === text)
      if (text !== '' && status === undefined) faults['status'] = texts.faults.status
      else change.status = status ?? null
      continue
    }
    const score = scoreIn(text)
    if (score === undefined) faults[name] = texts.faults.score
    else change[name] = score
  }
  return { change, faults }
}

const isSent = ({ body }: FastifyRequest, name: string) =>
  typeof body === 'object' && body !== null && Object.hasOwn(body, name)

/** Returns null for an empty field, undefined for an invalid score. */
function scoreIn(text: string): number | null | undefined {
  if (text === '') return null
  const score = SCORE.test(text) ? Number(text.replace(',', '.')) : Number.NaN
  return score >= 1 && score <= 10 && Number(score.toFixed(1)) === score ? score : undefined
}

function minutesIn(hours: string, minutes: string): number | undefined {
  const numbers = [hours, minutes].map((text) => text.trim().normalize('NFKC') || '0')
  if (!numbers.every((text) => /^\d{1,6}$/.test(text))) return undefined
  const [wholeHours = 0, rest = 0] = numbers.map(Number)
  const total = wholeHours * 60 + rest
  return total <= MAX_MINUTES_TO_FINISH ? total : undefined
}
