import type { Sharp } from 'sharp'
import { isPicture, loadSharp } from '../../uploads/load-sharp.ts'
import { hasTooManyPixels } from '../../uploads/picture-limits.ts'
import type { PictureFormat, PictureWidth } from './picture-kinds.ts'
import { PictureError } from './picture-errors.ts'

export type PictureVariant = { width: PictureWidth; format: PictureFormat; blurred: boolean }

/** Of a source's picture; four bytes each are in memory at once where a format cannot be read line by line. */
const MAX_PIXELS = 16_000_000
/** Height to width, at most: what is longer is made narrower. */
const MAX_RATIO = 4
/** The width a blurred picture is made of: a face is one of its dots. */
const BLURRED_WIDTH = 8
const TIMEOUT_SECONDS = 20

/** Makes pictures in our widths and formats. */
export class PictureEncoder {
  /** @throws {PictureError} when the source is none of the formats, cut off, or has too many pixels */
  async encode(source: Buffer, { width, format, blurred }: PictureVariant): Promise<Buffer> {
    if (!isPicture(source)) throw new PictureError('The source sends no picture')
    const sharp = await loadSharp()
    const box = (size: number) =>
      ({ width: size, height: size * MAX_RATIO, fit: 'inside', withoutEnlargement: true }) as const
    try {
      const metadata = await sharp(source, { limitInputPixels: false }).metadata()
      if (hasTooManyPixels(metadata, MAX_PIXELS))
        throw new PictureError('The picture has too many pixels')
      const whole = sharp(source, {
        limitInputPixels: MAX_PIXELS,
        failOn: 'truncated',
        sequentialRead: true,
      })
        .timeout({ seconds: TIMEOUT_SECONDS })
        .autoOrient()
        .flatten({ background: '#ffffff' })
      if (!blurred) return await inFormat(whole.resize(box(width)), format)
      const dots = await whole.resize(box(BLURRED_WIDTH)).png().toBuffer()
      return await inFormat(
        sharp(dots)
          .resize({ width, kernel: 'cubic' })
          .blur(width / 20),
        format,
      )
    } catch (error) {
      throw new PictureError('The picture cannot be read', { cause: error })
    }
  }
}

function inFormat(image: Sharp, format: PictureFormat): Promise<Buffer> {
  if (format === 'avif') return image.avif({ quality: 55, effort: 2 }).toBuffer()
  if (format === 'webp') return image.webp({ quality: 78, effort: 3 }).toBuffer()
  return image.jpeg({ quality: 80, progressive: true }).toBuffer()
}
