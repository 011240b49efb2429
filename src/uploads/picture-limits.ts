/** Metadata of a picture that sharp reads without decoding it. */
type PictureHeader = { format: string; width: number; height: number; depth: string }

/** Maximum pixels per side: decoders that read line by line hold several whole lines. */
const MAX_SIDE = 16_384
/** Maximum pixels of an AVIF: its decoder holds several copies of each plane, about 24 bytes per pixel. */
const MAX_AVIF_PIXELS = 4_000_000

/**
 * Whether a picture would take too much memory to decode. Samples of more than eight bits count double.
 *
 * @param maxPixels for a format that takes four bytes per pixel
 */
export function hasTooManyPixels(
  { format, width, height, depth }: PictureHeader,
  maxPixels: number,
): boolean {
  const pixels = width * height * (depth === 'uchar' ? 1 : 2)
  const limit = format === 'heif' ? Math.min(maxPixels, MAX_AVIF_PIXELS) : maxPixels
  return Math.max(width, height) > MAX_SIDE || pixels > limit
}
