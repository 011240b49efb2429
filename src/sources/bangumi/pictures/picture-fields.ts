import { image } from '../common.ts'
import type { RecordKind } from '../../records/record-kinds.ts'

/** What Bangumi itself calls the three things that have pictures. */
export type PicturedThing = 'subject' | 'person' | 'character'

/** Where the picture of a record of Bangumi stands; `shape` is what stands there. */
export const PICTURE_FIELDS = {
  galgame: { of: 'subject', field: 'covers', shape: 'covers' },
  light_novel: { of: 'subject', field: 'covers', shape: 'covers' },
  manga: { of: 'subject', field: 'covers', shape: 'covers' },
  light_novel_volume: { of: 'subject', field: 'covers', shape: 'covers' },
  manga_volume: { of: 'subject', field: 'cover', shape: 'media' },
  person: { of: 'person', field: 'image', shape: 'media' },
  producer: { of: 'person', field: 'logo', shape: 'media' },
  character: { of: 'character', field: 'image', shape: 'media' },
} as const satisfies Record<
  RecordKind,
  { of: PicturedThing; field: string; shape: 'covers' | 'media' }
>

/** The kinds in the order in which readers miss their pictures. */
// as: the keys of that very table
export const PICTURED_KINDS = Object.keys(PICTURE_FIELDS) as RecordKind[]

/** The field of a record with its picture, as the reader of the Archive gives it. */
export function pictureField(
  kind: RecordKind,
  path: string,
  nsfw: boolean,
): Record<string, unknown> {
  const { of, field, shape } = PICTURE_FIELDS[kind]
  const media =
    of === 'subject' ? { ...image('cover', path), sexual: nsfw ? 2 : 0 } : image('crt', path)
  return { [field]: shape === 'covers' ? [{ ...media, votes: 0 }] : media }
}
