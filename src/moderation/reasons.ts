/** What readers may report, and moderators hide. */
export const SUBJECT_KINDS = ['REVIEW', 'PICTURE', 'PROFILE'] as const
export type SubjectKind = (typeof SUBJECT_KINDS)[number]

/** Why: readers choose one, and so does whoever hides. */
export const REPORT_REASONS = [
  'SPAM',
  'HARASSMENT',
  'HATE',
  'SPOILER',
  'SEXUAL',
  'VIOLENCE',
  'PERSONAL_DATA',
  'COPYRIGHT',
  'ILLEGAL',
  'OTHER',
] as const
export type ReportReason = (typeof REPORT_REASONS)[number]

/** Characters of a note, an appeal or an answer. */
export const MAX_NOTE_LENGTH = 2_000

/** Reports that a reader may make in an hour. */
export const MAX_REPORTS_PER_HOUR = 5

/** A text for people, on its way in: line ends made one, control characters out, which no keyboard has. */
export const sanitizeNote = (typed: string): string =>
  typed
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(
      // oxlint-disable-next-line no-control-regex -- these are what is taken out
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
      ' ',
    )
    .trim()
