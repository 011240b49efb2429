import type { ImportRemark } from '../../records/import-remark.ts'
import type { CharacterRole, GalgameRelationDetail } from '../../../catalog/enums.ts'

/** Numeric codes of the Archive that the reader uses. */
export const SUBJECT_TYPE = { book: 1, game: 4 } as const
export const BOOK_PLATFORM = { manga: 1001, novel: 1002 } as const
export const PERSON_TYPE = { individual: 1, company: 2, group: 3 } as const

/** Relations between books. `volume` leads from a series to its volume, `series` leads back. */
export const BOOK_RELATION = {
  series: 1002,
  volume: 1003,
  artBook: 1004,
  sideStory: 1007,
  edition: 1010,
} as const

/** The wiki's words for relations between a work and its volumes (§2.6 `relation`). */
export const VOLUME_RELATIONS = { volume: '单行本', sideStory: '番外篇', artBook: '画集' } as const

/** Relation of the other game to this one: 4002 means that the other game came before. */
export const GAME_RELATIONS = new Map<number, GalgameRelationDetail>([
  [4002, 'PREQUEL'],
  [4003, 'SEQUEL'],
  [4006, 'SIDE_STORY'],
  [4007, 'SHARES_CHARACTERS'],
  [4008, 'SAME_SETTING'],
  [4009, 'ALTERNATIVE'],
  [4010, 'ALTERNATIVE'],
  [4011, 'VARIANT'],
  [4012, 'PARENT_STORY'],
  [4013, 'MAIN_VERSION'],
  [4015, 'EXPANSION'],
  [4016, 'COLLECTION'],
  [4017, 'COLLECTED_WORK'],
])

/** 1 main, 2 supporting, 3 guest, 4 extra (闲角), 5 narrator (旁白). */
export const ROLE_OF_APPEARANCE = new Map<number, CharacterRole>([
  [1, 'MAIN'],
  [2, 'SUPPORTING'],
  [3, 'GUEST'],
  [4, 'GUEST'],
  [5, 'GUEST'],
])

/** Voice banks (声库), which are not characters of the work. */
export const OTHER_APPEARANCES = [6]

/** Original and Japanese voices. Dubs and live actors are not part of the cast. */
export const ORIGINAL_VOICES = new Set([0, 4])

/**
 * Remark about a row that is skipped.
 *
 * @param kind name of a branch of the message
 */
export const skippedRemark = (kind: string, type: number | '' = ''): ImportRemark => ({
  code: 'passed_over',
  params: { what: kind, type },
})

/** Types of skipped subjects, as named in the message. */
export const OTHER_SUBJECTS = new Map([
  [2, 'anime'],
  [3, 'music'],
  [6, 'film'],
])

/** Platforms that are not games: 4002 software, 4003 DLC, 4005 tabletop. Older codes all meant video games. */
export const OTHER_GAME_PLATFORMS = new Map([
  [4002, 'software'],
  [4003, 'dlc'],
  [4005, 'tabletop'],
])
