import type { ImportRemark } from '../../records/import-remark.ts'
import type { CharacterRole, GalgameRelationDetail } from '../../../catalog/enums.ts'

/** Numbers of the Archive. Only what is read has a name here. */
export const SUBJECT_TYPE = { book: 1, game: 4 } as const
export const BOOK_PLATFORM = { manga: 1001, novel: 1002 } as const
export const PERSON_TYPE = { individual: 1, company: 2, group: 3 } as const

/** `volume` leads from a series to its volume, `series` back. */
export const BOOK_RELATION = {
  series: 1002,
  volume: 1003,
  artBook: 1004,
  sideStory: 1007,
  edition: 1010,
} as const

/** The wiki's words for the relations that make a volume (§2.6 `relation`). */
export const VOLUME_RELATIONS = { volume: '单行本', sideStory: '番外篇', artBook: '画集' } as const

/** The related game's part: 4002 says that the related one comes before. */
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

/** Main, supporting and guest characters; 4 are extras (闲角) and 5 narrators (旁白). */
export const ROLE_OF_APPEARANCE = new Map<number, CharacterRole>([
  [1, 'MAIN'],
  [2, 'SUPPORTING'],
  [3, 'GUEST'],
  [4, 'GUEST'],
  [5, 'GUEST'],
])

/** Voice banks (声库), which are not characters of the work. */
export const OTHER_APPEARANCES = [6]

/** Original and Japanese voices; dubs and live actors are not the work's own cast. */
export const ORIGINAL_VOICES = new Set([0, 4])

/** Remark about a row that is skipped. @param what one of the branches of the message */
export const passedOver = (what: string, type: number | '' = ''): ImportRemark => ({
  code: 'passed_over',
  params: { what, type },
})

/** Types of subjects that are skipped, as the message calls them. */
export const OTHER_SUBJECTS = new Map([
  [2, 'anime'],
  [3, 'music'],
  [6, 'film'],
])

/** Parts and companions of games: 4002 software, 4003 DLC, 4005 tabletop. The old numbers all meant video games. */
export const OTHER_GAME_PLATFORMS = new Map([
  [4002, 'software'],
  [4003, 'dlc'],
  [4005, 'tabletop'],
])
