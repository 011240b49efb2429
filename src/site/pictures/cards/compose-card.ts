import { loadSharp } from '../../../uploads/load-sharp.ts'

/** Size of a link preview, in pixels, as social networks show it. */
const CARD = { width: 1_200, height: 630 }
const COVER = { width: 360, height: 540 }
const GAP = 24

/** Maximum number of covers on a card. */
export const MAX_CARD_COVERS = 3

/** Width of a star in pixels, and the number of stars. */
const STAR = 100
const STARS = 5

const SECTOR = (2 * Math.PI) / 5
/** The notch between two points of a star, which is 0.45 from the origin. */
const NOTCH = { x: 0.45 * Math.cos(SECTOR / 2), y: 0.45 * Math.sin(SECTOR / 2) }

/** Whether a point is inside a five-pointed star of radius 1 around the origin. */
function isInStar(x: number, y: number): boolean {
  const turn = Math.atan2(x, -y) + 2 * Math.PI + SECTOR / 2
  const angle = Math.abs((turn % SECTOR) - SECTOR / 2)
  const radius = Math.hypot(x, y)
  return (radius * Math.cos(angle) - 1) * NOTCH.y + radius * Math.sin(angle) * (1 - NOTCH.x) < 0
}

/** Colors as RGBA. */
const FILLED = 0xff_cb_47_ff
const EMPTY = 0xff_ff_ff_50

/** Draws a score as stars, pixel by pixel, because the service disables SVG in sharp. */
async function drawStars(score: number) {
  const sharp = await loadSharp()
  // Drawn at twice the size, because scaling it down smooths the edges.
  const [width, height] = [2 * STARS * STAR, 2 * STAR]
  const pixels = Buffer.alloc(width * height * 4)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < height; x += 1)
      if (isInStar(x / STAR - 1, y / STAR - 1))
        for (let at = x; at < width; at += height)
          pixels.writeUInt32BE(at < (score / 10) * width ? FILLED : EMPTY, (y * width + at) * 4)
  return sharp(pixels, { raw: { width, height, channels: 4 } })
    .resize(width / 2)
    .png()
    .toBuffer()
}

/**
 * Draws a link preview as JPEG: covers side by side on a blurred copy of the first one, and the score of a review, if any.
 * It has no text, because a server may have no fonts for the languages of titles and names.
 *
 * @param covers one to three pictures that this service has encoded
 */
export async function composeCard(
  covers: readonly Buffer[],
  score: number | null = null,
): Promise<Buffer> {
  const sharp = await loadSharp()
  const [first] = covers
  if (!first) throw new Error('A card needs a cover')
  // Enlarging a small picture blurs it in a fraction of the time.
  const small = await sharp(first).resize(40, 21, { fit: 'cover' }).blur(2).jpeg().toBuffer()
  const scoreWidth = score === null ? 0 : 2 * GAP + STARS * STAR
  const width = covers.length * COVER.width + (covers.length - 1) * GAP + scoreWidth
  const left = Math.round((CARD.width - width) / 2)
  const shown = await Promise.all(
    covers.map(async (cover, index) => ({
      input: await sharp(cover)
        .resize({ ...COVER, fit: 'cover' })
        .jpeg({ quality: 90 })
        .toBuffer(),
      left: left + index * (COVER.width + GAP),
      top: (CARD.height - COVER.height) / 2,
    })),
  )
  if (score !== null)
    shown.push({
      input: await drawStars(score),
      left: left + width - STARS * STAR,
      top: (CARD.height - STAR) / 2,
    })
  return sharp(small)
    .resize({ ...CARD, fit: 'fill', kernel: 'cubic' })
    .modulate({ brightness: 0.6 })
    .composite(shown)
    .jpeg({ quality: 80, progressive: true })
    .toBuffer()
}
