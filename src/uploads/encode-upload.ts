import { MEBIBYTE } from '../kernel/mebibyte.ts'
import { JobQueue } from '../kernel/async/job-queue.ts'
import { isPicture, loadSharp } from './load-sharp.ts'
import { hasTooManyPixels } from './picture-limits.ts'

/** Why a picture is not taken. */
export type UploadFault =
  | 'picture_missing'
  | 'picture_too_large'
  | 'picture_unreadable'
  | 'picture_is_drawing'
  | 'picture_too_many_pixels'
  | 'picture_too_many_frames'
  | 'picture_too_many'
  | 'picture_busy'

/** Of what is sent, in bytes. */
export const MAX_UPLOAD_BYTES = 5 * MEBIBYTE
/** The side of the square that is kept. */
export const MAX_UPLOAD_SIDE = 512
/** Four bytes each may be in memory at once. */
export const MAX_UPLOAD_PIXELS = 24_000_000
/** The first frame of an animation is kept; all of them are read for their number. */
const MAX_FRAMES = 200
const TIMEOUT_SECONDS = 10
const MAX_WAITING = 8

class BusyError extends Error {
  override name = 'BusyError'
}

/** A picture is decoded as a whole: one at a time for the whole process, which has one memory. */
const encodings = new JobQueue(1, MAX_WAITING, () => new BusyError('Too many pictures are encoded'))

/** A square webp of what was sent, from its middle, at most 512 dots wide; nothing else of the file is in it. */
export async function encodeUpload(
  source: Buffer,
): Promise<{ bytes: Buffer } | { fault: UploadFault }> {
  if (source.length === 0) return { fault: 'picture_missing' }
  if (source.length > MAX_UPLOAD_BYTES) return { fault: 'picture_too_large' }
  if (!isPicture(source))
    return { fault: isDrawing(source) ? 'picture_is_drawing' : 'picture_unreadable' }
  try {
    return await encodings.run(() => encode(source))
  } catch (error) {
    return { fault: error instanceof BusyError ? 'picture_busy' : 'picture_unreadable' }
  }
}

async function encode(source: Buffer): Promise<{ bytes: Buffer } | { fault: UploadFault }> {
  const sharp = await loadSharp()
  // The size is looked at before anything is decoded, and by ourselves: the library says of both only that it failed.
  const metadata = await sharp(source, { limitInputPixels: false }).metadata()
  const { width, height, pages = 1 } = metadata
  if (pages > MAX_FRAMES) return { fault: 'picture_too_many_frames' }
  if (hasTooManyPixels(metadata, MAX_UPLOAD_PIXELS)) return { fault: 'picture_too_many_pixels' }
  const side = Math.min(width, height, MAX_UPLOAD_SIDE)
  const bytes = await sharp(source, { limitInputPixels: MAX_UPLOAD_PIXELS, failOn: 'truncated' })
    .timeout({ seconds: TIMEOUT_SECONDS })
    .autoOrient()
    .resize({ width: side, height: side, fit: 'cover' })
    .webp({ quality: 82, effort: 4 })
    .toBuffer()
  return { bytes }
}

/** SVG is a program in a picture's clothes, and is not taken. */
const isDrawing = (source: Buffer) => /<svg[\s>]/i.test(source.toString('latin1', 0, 4_096))
