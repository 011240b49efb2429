import type { MangaPersonRole, StaffRole } from '../../catalog/enums.ts'

/** What somebody does, in the coarse terms in which two sources agree. */
type Group = 'words' | 'pictures' | 'sound' | 'translation' | 'publishing' | 'label' | 'magazine'

/** Relations at light novels, as the readers of sources name them. */
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

/** Roles that say what sort of work somebody did; any other (`PROGRAM`, `staff`, none) goes with all of them. */
export const ROLE_GROUPS: Partial<
  Record<StaffRole | MangaPersonRole | NovelRelation | 'PUBLISHER' | 'LABEL' | 'MAGAZINE' | 'VOICE', Group>
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
  MUSIC: 'sound',
  SOUND_DIRECTOR: 'sound',
  THEME_COMPOSITION: 'sound',
  THEME_PERFORMANCE: 'sound',
  INSERT_PERFORMANCE: 'sound',
  VOICE: 'sound',
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
  narrator: 'sound',
  publisher: 'publishing',
  bunko: 'label',
  magazine: 'magazine',
}
