/** Audit events that decide a match. */
export const MATCH_DECISIONS = ['match_accepted', 'match_rejected', 'match_reopened'] as const
