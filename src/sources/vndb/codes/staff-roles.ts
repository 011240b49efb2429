import type { StaffRole } from '../../../catalog/enums.ts'

/** Roles in vn_staff that have a single meaning. `songs` means vocals, unless the note says otherwise. */
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

/** Values of vn_staff.role. For a plain `staff` credit, the role comes from the note, if there is one. */
export const STAFF_CREDITS: ReadonlySet<string> = new Set([...Object.keys(ROLES), 'staff'])

/**
 * Roles indicated by words in a credit's note, which is free text written by editors. The first match counts. This is a
 * guess from English words. Notes of `songs` credits also contain song titles, so only words about songs count there.
 */
const NOTES: readonly { words: RegExp; role: StaffRole; credits: readonly string[] }[] = [
  { words: /lyric/i, role: 'THEME_LYRICS', credits: ['songs', 'staff'] },
  { words: /compos/i, role: 'THEME_COMPOSITION', credits: ['songs', 'staff'] },
  { words: /insert/i, role: 'INSERT_PERFORMANCE', credits: ['songs', 'staff'] },
  { words: /executive produc/i, role: 'EXECUTIVE_PRODUCER', credits: ['staff'] },
  { words: /produc/i, role: 'PRODUCER', credits: ['staff'] },
  { words: /plan/i, role: 'PLANNING', credits: ['staff'] },
  { words: /program|\bscript(?:s|ing|er)?\b/i, role: 'PROGRAM', credits: ['staff'] },
  { words: /background/i, role: 'BACKGROUND', credits: ['staff'] },
  { words: /\bSD\b|chibi/i, role: 'SD_ART', credits: ['staff'] },
  { words: /supervis/i, role: 'SUPERVISOR', credits: ['staff'] },
  { words: /sound dir/i, role: 'SOUND_DIRECTOR', credits: ['staff'] },
  { words: /mecha/i, role: 'MECHANICAL_DESIGN', credits: ['staff'] },
  { words: /original/i, role: 'ORIGINAL_WORK', credits: ['staff'] },
  { words: /movie|animation/i, role: 'ANIMATION_PRODUCTION', credits: ['staff'] },
  { words: /cover|jacket/i, role: 'COVER_ART', credits: ['staff'] },
  { words: /coop|special thanks/i, role: 'COOPERATION', credits: ['staff'] },
]

/**
 * Returns our role for a VNDB credit.
 *
 * @param credit vn_staff.role
 * @returns null for a plain `staff` credit without a known note
 */
export function staffRole(credit: string, note: string | null): StaffRole | null {
  const match = NOTES.find(
    ({ words, credits }) => credits.includes(credit) && words.test(note ?? ''),
  )
  return match?.role ?? ROLES[credit] ?? null
}
