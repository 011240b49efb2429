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
  type RatingFields,
} from '../../../ratings/fields.ts'
import { changeRating, type Rating, type RatingKey } from '../../../ratings/own/queries.ts'
import { statusLabels } from './quick-rating.ts'

/** Returns the values that the rating form shows. Without a rating, nothing is selected. */
export const ratingFormValues = (kind: WorkKind, rating: Rating | undefined): RatingChange =>
  pickFields(rating ?? { ...DEFAULT_RATING, status: null }, ratingFieldsOf(kind))

/**
 * Saves the fields of a rating that the sender of a form changed.
 *
 * @param sent values read from the form
 * @throws {FormConflict} if a field has been changed elsewhere since the form was loaded
 */
export const saveRatingForm = (
  db: Database,
  request: FastifyRequest,
  key: RatingKey,
  sent: RatingChange,
) =>
  changeRating(db, key, (rating) => {
    const stored = ratingFormValues(key.kind, rating)
    const changed = changedFields(request, sent, stored)
    return rating ? changed : { ...stored, ...changed }
  })

/** Returns a function that describes a field in a conflict notice. */
export function describeRatingField({ library: texts, ...messages }: Messages, kind: WorkKind) {
  const names = statusLabels({ library: texts, ...messages }, kind)
  return (name: string, value: unknown) => {
    const text =
      name === 'status'
        ? (new Map(Object.entries(names)).get(String(value)) ?? texts.noStatus)
        : textOf(value, texts)
    // as: every field of the form is a field of the rating
    return { label: texts.fields[name as keyof RatingFields], value: text }
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
        : ''
