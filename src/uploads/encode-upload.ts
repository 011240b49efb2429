import { MEBIBYTE } from '../kernel/mebibyte.ts'
import { JobQueue } from '../kernel/async/job-queue.ts'
import { isPicture, loadSharp } from './load-sharp.ts'
import { hasTooManyPixels } from './picture-limits.ts'

export type UploadFault =
  | 'picture_missing'
  | 'picture_too_large'
  | 'picture_unreadable'
  | 'picture_is_drawing'
  | 'picture_too_many_pixels'
  | 'picture_too_many_frames'
  | 'picture_too_many'
  | 'picture_busy'
  | 'picture_unavailable'

/** Returns the status of a page that shows a fault. */
export const statusOfFault = (fault: UploadFault) =>
  fault === 'picture_busy' || fault === 'picture_unavailable' ? 503 : 422

/** Maximum bytes of an uploaded file. */
export const MAX_UPLOAD_BYTES = 5 * MEBIBYTE
/** Maximum side, in pixels, of the stored square. */
export const MAX_UPLOAD_SIDE = 512
/** Maximum pixels of an upload. Each takes up to four bytes of memory. */
export const MAX_UPLOAD_PIXELS = 24_000_000
/** Maximum frames of an animation. All are counted, but only the first is stored. */
const MAX_FRAMES = 200
const TIMEOUT_SECONDS = 10
const MAX_WAITING = 8

class BusyError extends Error {
  override name = 'BusyError'
}

/** Decodes one picture at a time per process to limit memory use, because a picture is decoded as a whole. */
const encodings = new JobQueue(1, MAX_WAITING, () => new BusyError('Too many pictures are encoded'))

/** Encodes the center of a picture as a square WebP of at most 512 pixels per side, without metadata. */
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
  // The limits are checked before decoding. sharp's own limits fail without saying which was exceeded.
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

/** SVG can contain scripts and is rejected. */
const isDrawing = (source: Buffer) => /<svg[\s>]/i.test(source.toString('latin1', 0, 4_096))
