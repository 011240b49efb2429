import type { RatingChange } from '../../fields.ts'
import {
  BLANK_PROGRESS,
  isSameValue,
  progressDifferences,
  type ProgressChange,
  type ProgressFields,
} from '../../progress/fields.ts'
import type { StoredRating } from './import-queries.ts'
import { decideOutcome, type FieldChanges, type RowOutcome } from './outcome.ts'
import { MAX_LABELS } from '../../../accounts/record-limits.ts'

/** Stored values of the user, and whether they may be replaced. */
type Target = {
  rating: StoredRating | undefined
  progress: ProgressFields | undefined
  /** Labels that the user has. Adopted labels are added. */
  labels: Set<string>
  overwrite: boolean
}

type Sent = {
  change: RatingChange
  onCreation: RatingChange
  progress: ProgressChange
  isOnlyProgress: boolean
}

export type RowPlan = {
  outcome: RowOutcome
  /** Rating fields to write; undefined to leave the rating alone. */
  rating: RatingChange | undefined
  progress: ProgressChange
  changes: FieldChanges
  differences: FieldChanges
}

/**
 * Decides what to do with a row whose work was found. Progress that the user has not recorded is filled in. Everything
 * else that is stored stays, unless the user chose to overwrite it.
 */
export function planRow(sent: Sent, { rating, progress, labels, overwrite }: Target): RowPlan {
  const stored = progress ?? { ...BLANK_PROGRESS }
  const wanted = progressDifferences(stored, fittingLabels(sent.progress, stored, labels))
  const [adopted, kept] = splitFields(
    wanted,
    ([field, { from }]) =>
      overwrite ||
      isSameValue(from, Object.entries(BLANK_PROGRESS).find(([name]) => name === field)?.[1]),
  )
  // Compares all values of the file, so that labels beyond the maximum are reported.
  const tooMany = splitFields(
    progressDifferences(stored, sent.progress),
    ([field, { to }]) => !isSameValue(to, wanted[field]?.to),
  )[0]
  const ofRating = sent.isOnlyProgress
    ? undefined
    : decideOutcome(rating, { change: sent.change, onCreation: sent.onCreation }, overwrite)
  const isWritten = ofRating?.outcome === 'CREATED' || ofRating?.outcome === 'UPDATED'
  const changes = { ...(isWritten ? ofRating.changes : {}), ...adopted }
  const differences = { ...(isWritten ? {} : ofRating?.changes), ...tooMany, ...kept }
  return {
    outcome: outcomeOf(ofRating?.outcome, changes, differences, progress !== undefined),
    rating: isWritten ? ofRating.change : undefined,
    progress: Object.fromEntries(Object.entries(adopted).map(([field, { to }]) => [field, to])),
    changes,
    differences,
  }
}

function outcomeOf(
  ofRating: RowOutcome | undefined,
  changes: FieldChanges,
  differences: FieldChanges,
  hasProgress: boolean,
): RowOutcome {
  if (ofRating === 'CREATED' || ofRating === 'UPDATED') return ofRating
  if (Object.keys(changes).length > 0)
    return ofRating === undefined && !hasProgress ? 'CREATED' : 'UPDATED'
  return Object.keys(differences).length > 0 ? 'KEPT' : 'UNCHANGED'
}

function splitFields(
  fields: FieldChanges,
  isFirst: (field: [string, FieldChanges[string]]) => boolean,
): [FieldChanges, FieldChanges] {
  const entries = Object.entries(fields)
  return [
    Object.fromEntries(entries.filter(isFirst)),
    Object.fromEntries(entries.filter((field) => !isFirst(field))),
  ]
}

/** Omits labels beyond the maximum per user. */
function fittingLabels(
  { labels, ...progress }: ProgressChange,
  stored: ProgressFields,
  known: Set<string>,
): ProgressChange {
  if (!labels) return progress
  const fitting = labels.filter((label) => {
    if (!known.has(label) && known.size >= MAX_LABELS) return false
    known.add(label)
    return true
  })
  return { ...progress, labels: fitting.length > 0 ? fitting : stored.labels }
}
