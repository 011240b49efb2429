import { keysOf } from '../kernel/typed-records.ts'

/** Enumerations of the catalog, from the specification and from later decisions. */

/** Roles of a galgame's staff (§2.4). */
export const STAFF_ROLES = [
  'GAME_DESIGNER',
  'DIRECTOR',
  'PRODUCER',
  'SUPERVISOR',
  'EXECUTIVE_PRODUCER',
  'ORIGINAL_WORK',
  'CHARACTER_DESIGN',
  'MECHANICAL_DESIGN',
  'LEVEL_DESIGN',
  'PLANNING',
  'PROGRAM',
  'QC',
  'SCENARIO',
  'SERIES_COMPOSITION',
  'ANIMATION_SUPERVISOR',
  'ART',
  'GRAPHICS',
  'CG_SUPERVISOR',
  'SD_ART',
  'BACKGROUND',
  'COVER_ART',
  'SOUND_DIRECTOR',
  'MUSIC',
  'THEME_COMPOSITION',
  'THEME_LYRICS',
  'THEME_PERFORMANCE',
  'INSERT_PERFORMANCE',
  'ANIMATION_PRODUCTION',
  'ANIMATION_DIRECTOR',
  'ANIMATION_SCRIPT',
  'COOPERATION',
  'TRANSLATOR',
  'EDITOR',
] as const
export type StaffRole = (typeof STAFF_ROLES)[number]

/** Roles of §2.5, plus `PRIMARY`, which clients know but no source uses yet. */
export const CHARACTER_ROLES = ['PRIMARY', 'MAIN', 'SUPPORTING', 'GUEST'] as const
export type CharacterRole = (typeof CHARACTER_ROLES)[number]

/** Development statuses of a galgame (§2.3). */
export const DEV_STATUSES = ['RELEASED', 'IN_DEVELOPMENT', 'CANCELLED'] as const

/** Publication statuses of a light novel (§2.6) or manga (§2.7). */
export const PUBLICATION_STATUSES = ['SERIALIZING', 'FINISHED', 'PAUSED', 'ABANDONED'] as const
export type PublicationStatus = (typeof PUBLICATION_STATUSES)[number]

/** Types of volumes (§2.6). */
export const VOLUME_TYPES = ['MAIN', 'EXTRA'] as const

/** Reading modes of a manga (§2.7). */
export const READING_MODES = ['PAGED_RTL', 'PAGED_LTR', 'WEBTOON'] as const

/** Audiences of a manga (§2.7). */
export const AUDIENCES = ['SHONEN', 'SEINEN', 'SHOJO', 'JOSEI'] as const

/** Roles of people in a manga (§2.7). */
export const MANGA_PERSON_ROLES = [
  'AUTHOR',
  'ART',
  'ORIGINAL_CREATOR',
  'SCRIPT',
  'ILLUSTRATION',
  'CHARACTER_DESIGN',
] as const
export type MangaPersonRole = (typeof MANGA_PERSON_ROLES)[number]

/** Roles of producers in a manga (§2.7). */
export const MANGA_PRODUCER_ROLES = ['PUBLISHER', 'MAGAZINE', 'LABEL'] as const
export type MangaProducerRole = (typeof MANGA_PRODUCER_ROLES)[number]

/** Roles of producers in a galgame (decision 0002). */
export const GALGAME_PRODUCER_ROLES = ['DEVELOPER', 'PUBLISHER', 'LOCALIZER'] as const
export type GalgameProducerRole = (typeof GALGAME_PRODUCER_ROLES)[number]

/**
 * Relation of another galgame to this one: `SEQUEL` means that the other galgame is the sequel. Closed set of values
 * that clients know (decision 0002).
 */
export const GALGAME_RELATIONS = [
  'SEQUEL',
  'PREQUEL',
  'SIDE_STORY',
  'MAIN_STORY',
  'VARIANT',
  'MAIN_VERSION',
  'COLLECTION',
  'COLLECTED_WORK',
  'SAME_UNIVERSE',
  'DIFFERENT_ADAPTATION',
  'EXPANSION',
] as const

/**
 * More specific relations that the sources distinguish, each with one that clients know. A relation and its inverse map
 * to relations that are inverses of each other.
 */
export const RELATION_OF_DETAIL = {
  SEQUEL: 'SEQUEL',
  PREQUEL: 'PREQUEL',
  SAME_SETTING: 'SAME_UNIVERSE',
  ALTERNATIVE: 'DIFFERENT_ADAPTATION',
  SHARES_CHARACTERS: 'SAME_UNIVERSE',
  SIDE_STORY: 'SIDE_STORY',
  PARENT_STORY: 'MAIN_STORY',
  SAME_SERIES: 'SAME_UNIVERSE',
  FANDISC: 'SIDE_STORY',
  ORIGINAL_GAME: 'MAIN_STORY',
  VARIANT: 'VARIANT',
  MAIN_VERSION: 'MAIN_VERSION',
  COLLECTION: 'COLLECTION',
  COLLECTED_WORK: 'COLLECTED_WORK',
  EXPANSION: 'EXPANSION',
} as const satisfies Record<string, (typeof GALGAME_RELATIONS)[number]>
export type GalgameRelationDetail = keyof typeof RELATION_OF_DETAIL

export const GALGAME_RELATION_DETAILS = keysOf(RELATION_OF_DETAIL)

/** Kinds of galgame covers: digital (made for download) or the front of a package. */
export const COVER_KINDS = ['DIG', 'PKGFRONT'] as const
export type CoverKind = (typeof COVER_KINDS)[number]

/** Producer types that clients know, a closed set (decision 0002). */
export const PRODUCER_TYPES = ['COMPANY', 'DOUJIN', 'INDIVIDUAL', 'MAGAZINE'] as const

/**
 * Producer types that the sources distinguish. Responses replace a type unknown to clients with `COMPANY` and add the
 * original type to `labels`.
 */
export const STORED_PRODUCER_TYPES = [...PRODUCER_TYPES, 'PUBLISHER', 'LABEL'] as const
export type StoredProducerType = (typeof STORED_PRODUCER_TYPES)[number]

export const GENDERS = ['female', 'male', 'other'] as const

/** Names of the enumerations in the OpenAPI document, and so in generated clients. */
export const ENUM_TITLES: ReadonlyMap<readonly string[], string> = new Map<
  readonly string[],
  string
>([
  [STAFF_ROLES, 'StaffRole'],
  [CHARACTER_ROLES, 'CharacterRole'],
  [DEV_STATUSES, 'DevStatus'],
  [PUBLICATION_STATUSES, 'PublicationStatus'],
  [VOLUME_TYPES, 'VolumeType'],
  [READING_MODES, 'ReadingMode'],
  [AUDIENCES, 'Audience'],
  [MANGA_PERSON_ROLES, 'MangaPersonRole'],
  [MANGA_PRODUCER_ROLES, 'MangaProducerRole'],
  [GALGAME_PRODUCER_ROLES, 'GalgameProducerRole'],
  [GALGAME_RELATIONS, 'GalgameRelation'],
  [GALGAME_RELATION_DETAILS, 'GalgameRelationDetail'],
  [COVER_KINDS, 'CoverKind'],
  [PRODUCER_TYPES, 'ProducerType'],
  [GENDERS, 'Gender'],
])
