import type { MangaPersonRole, StaffRole } from '../../catalog/enums.ts'

/** Coarse role of a person that can be compared across sources. Sound roles are split into music, song and voice. */
type Group =
  | 'words'
  | 'pictures'
  | 'sound music'
  | 'sound song'
  | 'sound voice'
  | 'translation'
  | 'publishing'
  | 'label'
  | 'magazine'

/** Relations to light novels, as the readers of the sources name them. */
type NovelRelation =
  | 'author'
  | 'script'
  | 'composition'
  | 'illustrator'
  | 'character_design'
  | 'original_creator'
  | 'translator'
  | 'narrator'
  | 'publisher'
  | 'bunko'
  | 'magazine'

/** Group of each role. Roles without a group (`PROGRAM`, `staff`, none) are compatible with all groups. */
export const ROLE_GROUPS: Partial<
  Record<
    StaffRole | MangaPersonRole | NovelRelation | 'PUBLISHER' | 'LABEL' | 'MAGAZINE' | 'VOICE',
    Group
  >
> = {
  SCENARIO: 'words',
  SERIES_COMPOSITION: 'words',
  ORIGINAL_WORK: 'words',
  ANIMATION_SCRIPT: 'words',
  CHARACTER_DESIGN: 'pictures',
  MECHANICAL_DESIGN: 'pictures',
  ART: 'pictures',
  GRAPHICS: 'pictures',
  CG_SUPERVISOR: 'pictures',
  SD_ART: 'pictures',
  BACKGROUND: 'pictures',
  COVER_ART: 'pictures',
  MUSIC: 'sound music',
  SOUND_DIRECTOR: 'sound music',
  THEME_COMPOSITION: 'sound music',
  THEME_PERFORMANCE: 'sound song',
  INSERT_PERFORMANCE: 'sound song',
  VOICE: 'sound voice',
  TRANSLATOR: 'translation',
  AUTHOR: 'words',
  ORIGINAL_CREATOR: 'words',
  SCRIPT: 'words',
  ILLUSTRATION: 'pictures',
  author: 'words',
  original_creator: 'words',
  script: 'words',
  composition: 'words',
  illustrator: 'pictures',
  character_design: 'pictures',
  translator: 'translation',
  narrator: 'sound voice',
  publisher: 'publishing',
  bunko: 'label',
  magazine: 'magazine',
}
