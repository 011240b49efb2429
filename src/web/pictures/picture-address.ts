import { createHash } from 'node:crypto'
import { PICTURE_KINDS, type PictureFormat, type PictureKind, type PictureWidth } from './picture-kinds.ts'

export type PictureAddress = {
  kind: PictureKind
  id: number
  /** Its place among the pictures of the same kind and id, from 0. */
  index: number
  width: PictureWidth
  format: PictureFormat
  /** The variant in which nothing can be made out. */
  blurred: boolean
  /** Of the source's picture; what answers to it never changes. */
  version: string
}

/** Names the picture at a source's address: it is another picture when the source has it at another address. */
export const versionOf = (url: string) => createHash('sha256').update(url).digest('hex').slice(0, 8)

/** The path and query under which we serve a picture. */
export const pathOfPicture = ({ kind, id, index, width, format, blurred, version }: PictureAddress) =>
  `/images/${PICTURE_KINDS[kind]}/${id}/${index}-${width}${blurred ? '-blurred' : ''}.${format}?v=${version}`
