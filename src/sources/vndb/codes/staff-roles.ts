import type { StaffRole } from '../../../catalog/enums.ts'

/** vn_staff roles with one meaning. `songs` is whoever sings, unless the note says otherwise. */
const ROLES: Readonly<Record<string, StaffRole>> = {
  scenario: 'SCENARIO',
  director: 'DIRECTOR',
  chardesign: 'CHARACTER_DESIGN',
  art: 'GRAPHICS',
  music: 'MUSIC',
  songs: 'THEME_PERFORMANCE',
  translator: 'TRANSLATOR',
  editor: 'EDITOR',
  qa: 'QC',
}

/** Values of vn_staff.role. For plain `staff` credits, the role comes from the note, if any. */
export const STAFF_CREDITS: ReadonlySet<string> = new Set([...Object.keys(ROLES), 'staff'])

/**
 * What a note means that an editor wrote beside a credit, the first match counting.
 *
 * A guess from English words, not a fact. The notes of `songs` are read only for words about songs, as they
 * also hold song titles, in which a `plan` or an `original` means nothing.
 */
const NOTES: readonly { words: RegExp; role: StaffRole; beside: readonly string[] }[] = [
  { words: /lyric/i, role: 'THEME_LYRICS', beside: ['songs', 'staff'] },
  { words: /compos/i, role: 'THEME_COMPOSITION', beside: ['songs', 'staff'] },
  { words: /insert/i, role: 'INSERT_PERFORMANCE', beside: ['songs', 'staff'] },
  { words: /executive produc/i, role: 'EXECUTIVE_PRODUCER', beside: ['staff'] },
  { words: /produc/i, role: 'PRODUCER', beside: ['staff'] },
  { words: /plan/i, role: 'PLANNING', beside: ['staff'] },
  { words: /program|\bscript(?:s|ing|er)?\b/i, role: 'PROGRAM', beside: ['staff'] },
  { words: /background/i, role: 'BACKGROUND', beside: ['staff'] },
  { words: /\bSD\b|chibi/i, role: 'SD_ART', beside: ['staff'] },
  { words: /supervis/i, role: 'SUPERVISOR', beside: ['staff'] },
  { words: /sound dir/i, role: 'SOUND_DIRECTOR', beside: ['staff'] },
  { words: /mecha/i, role: 'MECHANICAL_DESIGN', beside: ['staff'] },
  { words: /original/i, role: 'ORIGINAL_WORK', beside: ['staff'] },
  { words: /movie|animation/i, role: 'ANIMATION_PRODUCTION', beside: ['staff'] },
  { words: /cover|jacket/i, role: 'COVER_ART', beside: ['staff'] },
  { words: /coop|special thanks/i, role: 'COOPERATION', beside: ['staff'] },
]

/**
 * Our role of a VNDB credit.
 *
 * @param credit vn_staff.role
 * @returns null for a credit that is no more than `staff`
 */
export function staffRole(credit: string, note: string | null): StaffRole | null {
  const noted = NOTES.find(({ words, beside }) => beside.includes(credit) && words.test(note ?? ''))
  return noted?.role ?? ROLES[credit] ?? null
}
