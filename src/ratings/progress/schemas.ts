import { Type, type TSchema } from 'typebox'
import { byWorkKind, KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { workTypeOf } from '../../catalog/work-types.ts'
import { Closed, DateTime, Id, Named, Nullable } from '../../http/wire/schemas.ts'
import { NOTES_SCOPE } from './note-access.ts'
import {
  MAX_LABEL_LENGTH,
  MAX_NUMBERS,
  MAX_REREADS,
  progressFieldsOf,
  type NumberField,
  type ProgressField,
} from './fields.ts'
import { MAX_LABELS, MAX_PRIVATE_NOTE_LENGTH } from '../../accounts/record-limits.ts'

const date = (description: string) =>
  Nullable(
    Type.String({
      maxLength: 10,
      description: `${description}: a year, a month or a day, as \`YYYY\`, \`YYYY-MM\` or \`YYYY-MM-DD\``,
      examples: ['2024-03'],
    }),
  )

const count = (field: NumberField, description: string) =>
  Type.Integer({ minimum: 0, maximum: MAX_NUMBERS[field], description })

const FIELD_SCHEMAS: Record<ProgressField, TSchema> = {
  started_on: date('First start'),
  finished_on: date('First finish'),
  volumes_read: count('volumes_read', 'Number of volumes read'),
  chapters_read: count('chapters_read', 'Number of chapters read'),
  times_finished: count('times_finished', 'Number of times finished, including the first'),
  rereads: Type.Array(
    Closed({
      started_on: Type.Optional(date('Start')),
      finished_on: Type.Optional(date('Finish')),
    }),
    { maxItems: MAX_REREADS, description: 'Later readings or replays' },
  ),
  private_note: Type.String({
    description: `Note that only the owner sees: at most ${MAX_PRIVATE_NOTE_LENGTH} characters of plain text; lines end with \`\\n\`. Requires the scope \`${NOTES_SCOPE}\``,
  }),
  labels: Type.Array(Type.String({ examples: ['to lend'] }), {
    maxItems: MAX_LABELS,
    description: `The owner's own labels, of at most ${MAX_LABEL_LENGTH} characters each. A user may have ${MAX_LABELS} different ones`,
  }),
  minutes: count('minutes', 'Time spent, in minutes'),
}

const fieldsOf = (kind: WorkKind, wrap: (schema: TSchema) => TSchema = (schema) => schema) =>
  Object.fromEntries(progressFieldsOf(kind).map((field) => [field, wrap(FIELD_SCHEMAS[field])]))

/** Fields of a response, without the note if the caller may not read it. */
const readableFieldsOf = (kind: WorkKind) => ({
  ...fieldsOf(kind),
  private_note: Type.Optional(FIELD_SCHEMAS.private_note),
})

const progress = (kind: WorkKind) => ({
  work_type: Type.Literal(workTypeOf(kind)),
  work_id: Id,
  ...readableFieldsOf(kind),
  volumes_total: Nullable(Type.Integer(), {
    description: 'Number of volumes in the catalog; null if unknown',
  }),
  updated_at: Nullable(DateTime, { description: 'Null if nothing was recorded' }),
})

/** Schemas of a user's progress, keyed by kind of work (decision 0045). */
export const PROGRESS = byWorkKind((kind) =>
  Named(`${KINDS[kind].singular}Progress`, progress(kind)),
)

/** Read-only members. A request may send them back as received. */
const FACTS = ['work_type', 'work_id', 'volumes_total', 'updated_at']

/** Body of a PUT or PATCH. */
export const progressChange = (kind: WorkKind) =>
  Closed({
    ...fieldsOf(kind, Type.Optional),
    ...Object.fromEntries(
      FACTS.map((name) => [name, Type.Optional(Type.Unknown({ description: 'Ignored' }))]),
    ),
  })

export const Labels = Named('Labels', {
  labels: Type.Array(
    Closed({
      label: Type.String(),
      works: Type.Integer({ minimum: 1, description: 'Number of works with the label' }),
    }),
  ),
})

/** Progress in an exported list, without catalog fields. */
export const exportedProgress = (kind: WorkKind) => Closed(readableFieldsOf(kind))

export const PROGRESS_SCHEMAS = [...Object.values(PROGRESS), Labels]
