const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((format) => `VipsForeignLoad${format}Buffer`)

/**
 * The library that decodes and encodes pictures, loaded when the first one comes. It decodes five formats alone, and works on one
 * core.
 */
export async function loadSharp() {
  const { default: sharp } = await import('sharp')
  // What is made is kept by us; and the service has other work for the other cores.
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: LOADERS })
  return sharp
}

/** Whether that is one of the five formats: by its first bytes, whatever it is called. */
export function isPicture(bytes: Buffer): boolean {
  const [start, inside] = [bytes.toString('latin1', 0, 8), bytes.toString('latin1', 4, 12)]
  return (
    start.startsWith('\xff\xd8\xff') ||
    start === '\x89PNG\r\n\x1a\n' ||
    /^GIF8[79]a/.test(start) ||
    (start.startsWith('RIFF') && bytes.toString('latin1', 8, 12) === 'WEBP') ||
    /^ftypavi[fs]$/.test(inside)
  )
}
