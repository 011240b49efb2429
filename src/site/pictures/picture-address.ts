import { createHash } from 'node:crypto'
import { isId } from '../../http/wire/requests/validation.ts'
import {
  PICTURE_FORMATS,
  PICTURE_KINDS,
  PICTURE_WIDTHS,
  type PictureFormat,
  type PictureKind,
  type PictureWidth,
} from './picture-kinds.ts'

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
export const pathOfPicture = ({
  kind,
  id,
  index,
  width,
  format,
  blurred,
  version,
}: PictureAddress) =>
  `/images/${PICTURE_KINDS[kind]}/${id}/${index}-${width}${blurred ? '-blurred' : ''}.${format}?v=${version}`

/** What a path says, without the version. */
export type PicturePath = Omit<PictureAddress, 'version'>

const KINDS_BY_SEGMENT = new Map(
  // as: the entries of that very table
  (Object.entries(PICTURE_KINDS) as [PictureKind, string][]).map(([kind, segment]) => [
    segment,
    kind,
  ]),
)
const FILE = /^(0|[1-9]\d{0,3})-([1-9]\d{0,3})(-blurred)?\.([a-z]{3,4})$/

/** Reads the segments of a path behind `/images`; undefined when it is none that `pathOfPicture` writes. */
export function parsePicturePath(
  segment: string,
  id: string,
  file: string,
): PicturePath | undefined {
  const kind = KINDS_BY_SEGMENT.get(segment)
  const [, index, pixels, blurred, ending] = FILE.exec(file) ?? []
  const width = PICTURE_WIDTHS.find((offered) => String(offered) === pixels)
  const format = PICTURE_FORMATS.find((offered) => offered === ending)
  if (!kind || !isId(id) || !width || !format) return undefined
  return {
    kind,
    id: Number(id),
    index: Number(index),
    width,
    format,
    blurred: blurred !== undefined,
  }
}
