import type { Sharp } from 'sharp'
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

const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((format) => `VipsForeignLoad${format}Buffer`)

/**
 * Makes pictures in our widths and formats. The library is loaded for the first one, decodes these five formats alone, and works on
 * one core.
 */
export class PictureEncoder {
  #sharp: ReturnType<typeof load> | undefined

  /** @throws {PictureError} when the source is none of the formats, cut off, or has too many pixels */
  async encode(source: Buffer, { width, format, blurred }: PictureVariant): Promise<Buffer> {
    if (!isPicture(source)) throw new PictureError('The source sends no picture')
    const sharp = await (this.#sharp ??= load())
    const box = (size: number) =>
      ({ width: size, height: size * MAX_RATIO, fit: 'inside', withoutEnlargement: true }) as const
    try {
      const whole = sharp(source, { limitInputPixels: MAX_PIXELS, failOn: 'truncated', sequentialRead: true })
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

async function load() {
  const { default: sharp } = await import('sharp')
  // Ours is the cache on disk; and the service has other work for the other cores.
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: LOADERS })
  return sharp
}

function inFormat(image: Sharp, format: PictureFormat): Promise<Buffer> {
  if (format === 'avif') return image.avif({ quality: 55, effort: 2 }).toBuffer()
  if (format === 'webp') return image.webp({ quality: 78, effort: 3 }).toBuffer()
  return image.jpeg({ quality: 80, progressive: true }).toBuffer()
}

/** By its first bytes, whatever its source calls it. */
function isPicture(bytes: Buffer): boolean {
  const [start, inside] = [bytes.toString('latin1', 0, 8), bytes.toString('latin1', 4, 12)]
  return (
    start.startsWith('\xff\xd8\xff') ||
    start === '\x89PNG\r\n\x1a\n' ||
    /^GIF8[79]a/.test(start) ||
    (start.startsWith('RIFF') && bytes.toString('latin1', 8, 12) === 'WEBP') ||
    /^ftypavi[fs]$/.test(inside)
  )
}
