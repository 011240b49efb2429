import type { Sharp } from 'sharp'
import { isPicture, loadSharp } from '../../uploads/load-sharp.ts'
import { hasTooManyPixels } from '../../uploads/picture-limits.ts'
import type { PictureFormat, PictureWidth } from './picture-kinds.ts'
import { PictureError } from './picture-errors.ts'

export type PictureVariant = { width: PictureWidth; format: PictureFormat; blurred: boolean }

/**
 * Maximum pixels of a source picture. Formats that cannot be decoded line by line need four bytes of memory per pixel.
 */
const MAX_PIXELS = 16_000_000
/** Maximum ratio of height to width; taller pictures are made narrower. */
const MAX_HEIGHT_TO_WIDTH = 4
/** Width, in pixels, to which a picture is reduced for blurring. A face becomes a single pixel. */
const BLURRED_WIDTH = 8
const TIMEOUT_SECONDS = 20

/** Encodes pictures in the supported widths and formats. */
export class PictureEncoder {
  /**
   * @throws {PictureError} if the source has an unsupported format, is truncated, or has too many
   * pixels
   */
  async encode(source: Buffer, { width, format, blurred }: PictureVariant): Promise<Buffer> {
    if (!isPicture(source)) throw new PictureError('The source did not return a picture')
    const sharp = await loadSharp()
    const box = (size: number) =>
      ({
        width: size,
        height: size * MAX_HEIGHT_TO_WIDTH,
        fit: 'inside',
        withoutEnlargement: true,
      }) as const
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
