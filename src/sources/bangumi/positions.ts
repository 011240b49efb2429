import type { StoredProducerType, StaffRole } from '../../catalog/enums.ts'
import type { GalgameLinks, MangaLinks } from '../records/record-links.ts'

/**
 * The wiki's staff positions in billing order. `keys` are the infobox keys for a position; the first is its name on
 * the wiki.
 */

/**
 * Position in the credits. `position` is null if the wiki has no number for the position, which then occurs only in
 * infoboxes.
 */
export type Position = { position: number | null; keys: string[] }

/** Position of a producer. `type` is the type of producer that the position implies. */
export type ProducerPosition = Position & { type: StoredProducerType }

/**
 * Positions of people in the credits of a book. `novel` is the relation to a light novel; `manga` is the role for a
 * manga, or null if mangas have no such role.
 */
export const BOOK_PEOPLE: (Position & {
  novel: string
  manga: MangaLinks['people'][number]['role'] | null
})[] = [
  { position: 2001, keys: ['作者'], novel: 'author', manga: 'AUTHOR' },
  { position: 2014, keys: ['编著'], novel: 'author', manga: 'AUTHOR' },
  { position: 2007, keys: ['原作'], novel: 'original_creator', manga: 'ORIGINAL_CREATOR' },
  { position: 2010, keys: ['脚本'], novel: 'script', manga: 'SCRIPT' },
  { position: 2015, keys: ['构成'], novel: 'composition', manga: 'SCRIPT' },
  { position: 2002, keys: ['作画'], novel: 'illustrator', manga: 'ART' },
  { position: 2003, keys: ['插图', '插画', '插畫'], novel: 'illustrator', manga: 'ILLUSTRATION' },
  { position: 2009, keys: ['人物原案'], novel: 'character_design', manga: 'CHARACTER_DESIGN' },
  { position: 2016, keys: ['监修'], novel: 'supervisor', manga: null },
  { position: 2006, keys: ['译者'], novel: 'translator', manga: null },
  { position: 2008, keys: ['客串'], novel: 'guest', manga: null },
  { position: 2017, keys: ['解说'], novel: 'commentary', manga: null },
]

export const BOOK_PRODUCERS: (ProducerPosition & {
  novel: string
  manga: MangaLinks['producers'][number]['role']
})[] = [
  { position: 2004, keys: ['出版社'], novel: 'publisher', manga: 'PUBLISHER', type: 'PUBLISHER' },
  { position: 2012, keys: ['出品方'], novel: 'publisher', manga: 'PUBLISHER', type: 'PUBLISHER' },
  { position: 2011, keys: ['书系'], novel: 'bunko', manga: 'LABEL', type: 'LABEL' },
  { position: 2013, keys: ['图书品牌'], novel: 'bunko', manga: 'LABEL', type: 'LABEL' },
  { position: 2005, keys: ['连载杂志'], novel: 'magazine', manga: 'MAGAZINE', type: 'MAGAZINE' },
]

export const GAME_STAFF: (Position & { role: StaffRole | null })[] = [
  { position: 1015, keys: ['原作'], role: 'ORIGINAL_WORK' },
  { position: 1028, keys: ['企画', '企划'], role: 'PLANNING' },
  { position: 1016, keys: ['导演'], role: 'DIRECTOR' },
  { position: 1004, keys: ['剧本', '脚本'], role: 'SCENARIO' },
  { position: 1027, keys: ['系列构成'], role: 'SERIES_COMPOSITION' },
  { position: 1008, keys: ['人物设定'], role: 'CHARACTER_DESIGN' },
  { position: 1013, keys: ['原画'], role: 'GRAPHICS' },
  { position: 1024, keys: ['SD原画'], role: 'SD_ART' },
  { position: 1023, keys: ['CG 监修', 'CG监修'], role: 'CG_SUPERVISOR' },
  { position: null, keys: ['图像总监'], role: 'CG_SUPERVISOR' },
  { position: 1005, keys: ['美工'], role: 'ART' },
  { position: 1025, keys: ['背景'], role: 'BACKGROUND' },
  { position: 1029, keys: ['机械设定'], role: 'MECHANICAL_DESIGN' },
  { position: 1033, keys: ['海报'], role: 'COVER_ART' },
  { position: 1006, keys: ['音乐'], role: 'MUSIC' },
  { position: 1030, keys: ['音响监督'], role: 'SOUND_DIRECTOR' },
  { position: 1009, keys: ['主题歌作曲'], role: 'THEME_COMPOSITION' },
  { position: 1010, keys: ['主题歌作词'], role: 'THEME_LYRICS' },
  { position: 1011, keys: ['主题歌演出'], role: 'THEME_PERFORMANCE' },
  { position: 1012, keys: ['插入歌演出'], role: 'INSERT_PERFORMANCE' },
  { position: 1014, keys: ['动画制作'], role: 'ANIMATION_PRODUCTION' },
  { position: 1017, keys: ['动画监督'], role: 'ANIMATION_DIRECTOR' },
  { position: 1020, keys: ['动画剧本'], role: 'ANIMATION_SCRIPT' },
  { position: 1031, keys: ['作画监督'], role: 'ANIMATION_SUPERVISOR' },
  { position: 1003, keys: ['游戏设计师'], role: 'GAME_DESIGNER' },
  { position: 1007, keys: ['关卡设计'], role: 'LEVEL_DESIGN' },
  { position: 1021, keys: ['程序'], role: 'PROGRAM' },
  { position: 1034, keys: ['UI'], role: null },
  { position: null, keys: ['演出'], role: null },
  { position: null, keys: ['视觉效果'], role: null },
  { position: 1035, keys: ['配音导演'], role: null },
  { position: 1026, keys: ['监修'], role: 'SUPERVISOR' },
  { position: 1032, keys: ['制作人'], role: 'PRODUCER' },
  { position: 1018, keys: ['制作总指挥'], role: 'EXECUTIVE_PRODUCER' },
  { position: 1019, keys: ['QC'], role: 'QC' },
  { position: 1022, keys: ['协力'], role: 'COOPERATION' },
]

export const GAME_PRODUCERS: (ProducerPosition & {
  role: GalgameLinks['producers'][number]['role']
})[] = [
  { position: 1001, keys: ['开发', '游戏开发商', '开发商'], role: 'DEVELOPER', type: 'COMPANY' },
  {
    position: 1002,
    keys: ['发行', '发行商', '游戏出版商', '发行方'],
    role: 'PUBLISHER',
    type: 'COMPANY',
  },
]
