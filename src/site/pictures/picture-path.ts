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

export type PictureUrl = {
  kind: PictureKind
  id: number
  /** Index among the pictures of the same kind and id, starting at 0. */
  index: number
  width: PictureWidth
  format: PictureFormat
  /** Selects the blurred variant. */
  blurred: boolean
  /** Version of the source's picture. The response for a version never changes. */
  version: string
}

/** Returns the version of the picture at a source's URL. A new URL counts as a new picture. */
export const versionOf = (url: string) => createHash('sha256').update(url).digest('hex').slice(0, 8)

/** Returns the path and query of a picture on this service. */
export const picturePathOf = ({ kind, id, index, width, format, blurred, version }: PictureUrl) =>
  `/images/${PICTURE_KINDS[kind]}/${id}/${index}-${width}${blurred ? '-blurred' : ''}.${format}?v=${version}`

/** Returns the path of a picture at its full size. */
export const wholePicturePath = (
  { kind, id, index = 0 }: Pick<PictureUrl, 'kind' | 'id'> & { index?: number },
  { url }: { url: string },
): string =>
  picturePathOf({
    kind,
    id,
    index,
    width: 1_280,
    format: 'webp',
    blurred: false,
    version: versionOf(url),
  })

/** Parts of a path, without the version. */
export type PicturePath = Omit<PictureUrl, 'version'>

const KINDS_BY_SEGMENT = new Map(
  // as: the entries of this table
  (Object.entries(PICTURE_KINDS) as [PictureKind, string][]).map(([kind, segment]) => [
    segment,
    kind,
  ]),
)
const FILE = /^(0|[1-9]\d{0,3})-([1-9]\d{0,3})(-blurred)?\.([a-z]{3,4})$/

/** Parses the segments of a path below `/images`; undefined if `picturePathOf` cannot have produced them. */
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
