import type { FastifyRequest } from 'fastify'
import type { WorkKind } from '../../../catalog/kinds.ts'
import type { Database } from '../../../db/database.ts'
import { changedFields } from '../../../ui/forms/form-state.ts'
import type { Messages } from '../../../ui/messages.ts'
import {
  DEFAULT_RATING,
  pickFields,
  ratingFieldsOf,
  type RatingChange,
} from '../../../ratings/fields.ts'
import type { Rating, RatingKey } from '../../../ratings/own/queries.ts'
import { pickFieldsOf, type ProgressChange } from '../../../ratings/progress/fields.ts'
import type { WorkProgress } from '../../../ratings/progress/queries.ts'
import { changeRecord } from '../../../ratings/progress/record-queries.ts'
import { statusLabels } from './quick-rating.ts'

/** Returns the values that the rating form shows. Without a rating, nothing is selected. */
export const ratingFormValues = (kind: WorkKind, rating: Rating | undefined): RatingChange =>
  pickFields(rating ?? { ...DEFAULT_RATING, status: null }, ratingFieldsOf(kind))

/**
 * Returns the values of progress that the form shows. The form trims the note and omits empty rereads, so these count
 * as unchanged.
 */
export const progressFormValues = (kind: WorkKind, progress: WorkProgress): ProgressChange =>
  pickFieldsOf(kind, {
    ...progress,
    private_note: progress.private_note.trim(),
    rereads: progress.rereads.filter(
      ({ started_on, finished_on }) => started_on !== null || finished_on !== null,
    ),
  })

export type FormChange = { change: RatingChange; progress: ProgressChange }

/**
 * Saves the fields of a rating and of progress that the sender of a form changed. A form with only progress creates no
 * rating, because a rating is public.
 *
 * @param sent values read from the form
 * @throws {FormConflict} if a field has been changed elsewhere since the form was loaded
 */
export const saveRatingForm = (
  db: Database,
  request: FastifyRequest,
  key: RatingKey,
  sent: FormChange,
) =>
  changeRecord(db, key, (rating, progress) => {
    const stored = ratingFormValues(key.kind, rating)
    const changed = changedFields<RatingChange & ProgressChange>(
      request,
      { ...sent.change, ...sent.progress },
      { ...stored, ...progressFormValues(key.kind, progress) },
    )
    const changedRating = pickFields(changed, ratingFieldsOf(key.kind))
    const changedProgress = pickFieldsOf(key.kind, changed)
    const isSaved =
      rating ??
      (hasFields(changedRating) || (progress.updated_at === null && !hasFields(changedProgress)))
    return {
      rating: isSaved ? (rating ? changedRating : { ...stored, ...changedRating }) : undefined,
      progress: changedProgress,
    }
  })

const hasFields = (values: object) => Object.keys(values).length > 0

/** Returns a function that describes a field in a conflict notice. */
export function describeRatingField({ library: texts, ...messages }: Messages, kind: WorkKind) {
  const names = statusLabels({ library: texts, ...messages }, kind)
  return (name: string, value: unknown) => {
    const text =
      name === 'status'
        ? (new Map(Object.entries(names)).get(String(value)) ?? texts.noStatus)
        : textOf(value, texts)
    // as: every field of the form is a field of the rating or of progress
    return { label: texts.fields[name as keyof Messages['library']['fields']], value: text }
  }
}

const textOf = (value: unknown, { yes, no }: Messages['library']) =>
  typeof value === 'boolean'
    ? value
      ? yes
      : no
    : typeof value === 'number'
      ? String(value)
      : typeof value === 'string'
        ? value
        : Array.isArray(value)
          ? describeItems(value)
          : ''

/** Describes labels or rereads. */
export const describeItems = (items: unknown[]) => items.map(itemText).join(', ')

/** Text of a label or of the dates of a reread. */
const itemText = (item: unknown): string =>
  typeof item === 'object' && item !== null
    ? Object.values(item)
        .map((date) => date ?? '?')
        .join(' – ')
    : String(item)
