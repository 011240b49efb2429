import { Type, type Static } from 'typebox'
import { ENTRY_KINDS } from '../catalog/kinds.ts'
import { Closed, DateTime, Id, Named, Nullable, StringEnum } from '../http/wire/schemas.ts'
import { HIDDEN_KINDS, MAX_NOTE_LENGTH, REPORT_REASONS, SUBJECT_KINDS } from './reasons.ts'

const kind = StringEnum(SUBJECT_KINDS, { title: 'ReportKind' })
const reason = StringEnum(REPORT_REASONS, { title: 'ReportReason' })
const place = Type.String({ description: 'Path of the page that shows it' })
const nullableTime = Nullable(DateTime)

const REPORT_STATES = ['OPEN', 'UPHELD', 'DISMISSED'] as const
const PICTURE_OWNERS = [...ENTRY_KINDS, 'profile'] as const

/** One of the user's reports and its outcome (decision 0024). */
export const UserReport = Named('Report', {
  id: Id,
  kind,
  place,
  reason,
  note: Type.String(),
  state: StringEnum(REPORT_STATES, {
    title: 'ReportState',
    description: '`UPHELD`: the content was hidden, or the entry corrected; `DISMISSED`: it stays',
  }),
  created_at: DateTime,
  decided_at: nullableTime,
})

export const NewReportBody = Closed({
  kind,
  id: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description:
      'Id of the rating (REVIEW), of the user (PROFILE), of the entry (ENTRY), or of the entry or user with the picture (PICTURE)',
  }),
  type: Type.Optional(
    StringEnum(PICTURE_OWNERS, {
      title: 'PictureOwner',
      description:
        'For an entry with wrong data: its kind. For a picture: kind of the entry that has it, or `profile` for a user’s picture',
    }),
  ),
  url: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: 'For a picture of an entry: its URL in the catalog',
    }),
  ),
  reason,
  note: Type.Optional(
    Type.String({
      maxLength: MAX_NOTE_LENGTH,
      description: 'Required for an entry. Describes what is wrong and what is correct.',
    }),
  ),
})
export type NewReportBody = Static<typeof NewReportBody>

export const UserTakedown = Named('Takedown', {
  id: Id,
  kind: StringEnum(HIDDEN_KINDS, { title: 'HiddenKind' }),
  place,
  reason,
  note: Type.String({ description: 'The moderator’s explanation' }),
  hidden_at: DateTime,
  appeal: Nullable(Type.String()),
  appealed_at: nullableTime,
  appeal_decided_at: nullableTime,
  appeal_answer: Nullable(Type.String()),
  restored_at: nullableTime,
})

export const AppealBody = Closed({
  note: Type.String({ minLength: 1, maxLength: MAX_NOTE_LENGTH }),
})
export type AppealBody = Static<typeof AppealBody>
