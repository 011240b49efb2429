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
import { statusWords } from './mark-form.ts'

/** Values the record form shows. Without a record, nothing is selected. */
export const recordFormValues = (kind: WorkKind, rating: Rating | undefined): RatingChange =>
  pickFields(rating ?? { ...DEFAULT_RATING, status: null }, ratingFieldsOf(kind))

/**
 * Saves the fields of a record that the sender of a form changed.
 *
 * @param sent as read from the form
 * @throws {FormConflict} if a field was changed elsewhere after the form was loaded
 */
export const saveRecordForm = (
  db: Database,
  request: FastifyRequest,
  key: RatingKey,
  sent: RatingChange,
) =>
  changeRating(db, key, (rating) => {
    const stored = recordFormValues(key.kind, rating)
    const changed = changedFields(request, sent, stored)
    return rating ? changed : { ...stored, ...changed }
  })

/** Label and value of a field, as a notice of a conflict shows them. */
export function describeRecordField({ library: words, ...messages }: Messages, kind: WorkKind) {
  const names = statusWords({ library: words, ...messages }, kind)
  return (name: string, value: unknown) => {
    const text =
      name === 'status'
        ? (new Map(Object.entries(names)).get(String(value)) ?? words.noStatus)
        : textOf(value, words)
    // as: a field of the form is one of the record
    return { label: words.fields[name as keyof RatingFields], value: text }
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
