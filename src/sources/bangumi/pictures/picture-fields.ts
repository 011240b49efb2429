import { pictureOf } from '../subject-fields.ts'
import type { RecordKind } from '../../records/record-kinds.ts'

/** Kinds of records with pictures, in Bangumi's terms. */
export type PictureSubject = 'subject' | 'person' | 'character'

/** Field of a record that holds its picture, and its shape. */
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
  { of: PictureSubject; field: string; shape: 'covers' | 'media' }
>

/** Kinds with pictures, most visible ones first. */
// as: the keys of this table
export const PICTURED_KINDS = Object.keys(PICTURE_FIELDS) as RecordKind[]

/** Returns the picture field of a record, in the form that the reader of the Archive uses. */
export function pictureField(
  kind: RecordKind,
  path: string,
  nsfw: boolean,
): Record<string, unknown> {
  const { of, field, shape } = PICTURE_FIELDS[kind]
  const media =
    of === 'subject'
      ? { ...pictureOf('cover', path), sexual: nsfw ? 2 : 0 }
      : pictureOf('crt', path)
  return { [field]: shape === 'covers' ? [{ ...media, votes: 0 }] : media }
}
