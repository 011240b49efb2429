/** Content that moderators can hide. */
export const HIDDEN_KINDS = ['REVIEW', 'PICTURE', 'PROFILE'] as const
/** Content that users can report. The data of an entry can be corrected, but not hidden. */
export const SUBJECT_KINDS = [...HIDDEN_KINDS, 'ENTRY'] as const
export type SubjectKind = (typeof SUBJECT_KINDS)[number]

/** Reasons for reports and takedowns. */
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

/** Maximum length, in characters, of a note, an appeal or a response to one. */
export const MAX_NOTE_LENGTH = 2_000

/** Maximum number of reports per user and hour. */
export const MAX_REPORTS_PER_HOUR = 5

/** Sanitizes a note: normalizes line endings, and removes control and bidirectional characters. */
export const sanitizeNote = (typed: string): string =>
  typed
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(
      // oxlint-disable-next-line no-control-regex -- these are removed
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
      ' ',
    )
    .trim()
