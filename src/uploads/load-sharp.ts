const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map(
  (format) => `VipsForeignLoad${format}Buffer`,
)

/** Loads sharp on first use, restricted to five formats and one core. */
export async function loadSharp() {
  const { default: sharp } = await import('sharp')
  // Results are stored in the database, and the service needs the other cores.
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: LOADERS })
  return sharp
}

/** Returns the media type of a picture in one of the five formats, from its first 12 bytes; undefined for other data. */
export function detectPictureType(bytes: Buffer): string | undefined {
  const [start, inside] = [bytes.toString('latin1', 0, 8), bytes.toString('latin1', 4, 12)]
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (start === '\x89PNG\r\n\x1a\n') return 'image/png'
  if (/^GIF8[79]a/.test(start)) return 'image/gif'
  if (start.startsWith('RIFF') && bytes.toString('latin1', 8, 12) === 'WEBP') return 'image/webp'
  return /^ftypavi[fs]$/.test(inside) ? 'image/avif' : undefined
}

export const isPicture = (bytes: Buffer): boolean => detectPictureType(bytes) !== undefined
