import { ConfigError } from '../config/config.ts'
import { detectPictureType, loadSharp } from '../uploads/load-sharp.ts'
import { hasTooManyPixels } from '../uploads/picture-limits.ts'
import { findSvgFault, svgSize } from './check-svg.ts'
import { readWithin } from './read-within.ts'

/** Maximum bytes of the file of a logo. */
const MAX_LOGO_BYTES = 512 * 1_024
const MAX_PIXELS = 16_000_000
/** Height, in pixels, of a raster logo: twice that of the header on a dense screen. */
const RASTER_HEIGHT = 96
/** Sides, in pixels, of the icons in `favicon.ico`, and of the one for home screens. */
const ICO_SIDES = [16, 32, 48] as const
const PNG_SIDE = 180
/** Sides, in pixels, of the icons of the installed app. */
const APP_SIDES = [192, 512] as const
const MASKABLE = { width: APP_SIDES[1], height: APP_SIDES[1], channels: 3 } as const

/** Files of a logo, and its size in the header. */
export type Logo = {
  /** The logo for the header, safe to serve. */
  file: { name: 'logo.svg' | 'logo.webp'; bytes: Buffer }
  width: number
  height: number
  icons: ReadonlyMap<string, Buffer>
}

/**
 * Reads and checks the logo, and derives the icons from it.
 *
 * @throws {ConfigError} with the reason, if the file is not a safe logo
 */
export async function readLogo(path: string): Promise<Logo> {
  const refuse = (reason: string) =>
    new ConfigError(`INSTANCE_LOGO is ${JSON.stringify(path)}, which cannot be used: ${reason}.`)
  try {
    const bytes = await readWithin(path, MAX_LOGO_BYTES)
    const type = detectPictureType(bytes)
    if (type === 'image/png' || type === 'image/webp') return await rasterLogo(bytes)
    if (!/<svg[\s>]/i.test(bytes.toString('latin1', 0, 4_096)))
      throw new Error('it is not an SVG, PNG or WebP file')
    return await svgLogo(bytes)
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error))
  }
}

async function rasterLogo(bytes: Buffer): Promise<Logo> {
  const sharp = await loadSharp()
  const metadata = await sharp(bytes, { limitInputPixels: false }).metadata()
  if (hasTooManyPixels(metadata, MAX_PIXELS)) throw new Error('it has too many pixels')
  // Encoding the picture again removes metadata and anything hidden in the file.
  const { data, info } = await sharp(bytes, { limitInputPixels: MAX_PIXELS })
    .resize({ height: RASTER_HEIGHT, withoutEnlargement: true })
    .webp({ quality: 90, alphaQuality: 100 })
    .toBuffer({ resolveWithObject: true })
  return {
    file: { name: 'logo.webp', bytes: data },
    width: info.width,
    height: info.height,
    icons: await iconsOf(bytes),
  }
}

async function svgLogo(bytes: Buffer): Promise<Logo> {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Error('it is not encoded in UTF-8')
  }
  const fault = findSvgFault(text)
  if (fault !== undefined) throw new Error(fault)
  const size = svgSize(text)
  if (!size) throw new Error('its svg element has no viewBox, width and height')
  const icons = new Map(await iconsOf(bytes))
  icons.set('favicon.svg', Buffer.from(text))
  return { file: { name: 'logo.svg', bytes: Buffer.from(text) }, ...size, icons }
}

/** Renders the icons that browsers request, as transparent squares with the logo in the middle. */
export async function iconsOf(picture: Buffer): Promise<Map<string, Buffer>> {
  const sharp = await loadSharp()
  const isSvg = detectPictureType(picture) === undefined
  // The drawing was checked. Drawings of anyone else are never decoded.
  if (isSvg) sharp.unblock({ operation: ['VipsForeignLoadSvgBuffer'] })
  try {
    const render = (side: number) =>
      sharp(picture, { limitInputPixels: MAX_PIXELS, density: isSvg ? 144 : 72 })
        .resize({
          width: Math.round(side),
          height: Math.round(side),
          fit: 'contain',
          background: '#0000',
        })
        .png({ compressionLevel: 9 })
        .toBuffer()
    const small = await Promise.all(ICO_SIDES.map(render))
    // Home screens cut their icons to a shape that shows at least the middle 80 %.
    const inner = await render(APP_SIDES[1] * 0.6)
    const maskable = sharp({ create: { ...MASKABLE, background: '#fff' } }).composite([
      { input: inner },
    ])
    return new Map([
      ['favicon.ico', icoOf(small)],
      ['favicon.png', await render(PNG_SIDE)],
      ['icon-192.png', await render(APP_SIDES[0])],
      ['icon-512.png', await render(APP_SIDES[1])],
      ['icon-maskable.png', await maskable.png({ compressionLevel: 9 }).toBuffer()],
    ])
  } finally {
    if (isSvg) sharp.block({ operation: ['VipsForeignLoadSvgBuffer'] })
  }
}

/** Combines PNG pictures to an ICO file: a header, an entry of 16 bytes for each picture, and the pictures. */
function icoOf(pictures: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(6 + 16 * pictures.length)
  header.writeUInt16LE(1, 2)
  header.writeUInt16LE(pictures.length, 4)
  let offset = header.length
  for (const [index, picture] of pictures.entries()) {
    const at = 6 + 16 * index
    header.writeUInt8(ICO_SIDES[index] ?? 0, at)
    header.writeUInt8(ICO_SIDES[index] ?? 0, at + 1)
    header.writeUInt16LE(1, at + 4)
    header.writeUInt16LE(32, at + 6)
    header.writeUInt32LE(picture.length, at + 8)
    header.writeUInt32LE(offset, at + 12)
    offset += picture.length
  }
  return Buffer.concat([header, ...pictures])
}
