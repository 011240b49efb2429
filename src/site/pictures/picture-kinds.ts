import type { EntryKind } from '../../catalog/kinds.ts'

/** Entries, and parts of an entry with their own id, that have pictures. Each has its segment in picture URLs. */
export const PICTURE_KINDS = {
  galgame: 'galgames',
  light_novel: 'light-novels',
  manga: 'mangas',
  person: 'people',
  producer: 'producers',
  character: 'characters',
  galgame_screenshot: 'galgame-screenshots',
  light_novel_volume: 'light-novel-volumes',
  manga_volume: 'manga-volumes',
} as const satisfies Record<EntryKind, string> & Record<string, string>

export type PictureKind = keyof typeof PICTURE_KINDS

/** Widths of encoded pictures, in pixels. A narrower source keeps its width. */
export const PICTURE_WIDTHS = [160, 320, 640, 1_280] as const

export type PictureWidth = (typeof PICTURE_WIDTHS)[number]

export const PICTURE_FORMATS = ['avif', 'webp', 'jpg'] as const

export type PictureFormat = (typeof PICTURE_FORMATS)[number]
