import { loadSharp } from '../../../uploads/load-sharp.ts'

/** Size of a link preview, in pixels, as social networks show it. */
const CARD = { width: 1_200, height: 630 }
const COVER = { width: 360, height: 540 }
const GAP = 24

/** Maximum number of covers on a card. */
export const MAX_CARD_COVERS = 3

/**
 * Draws a link preview as JPEG: covers side by side on the first one, blurred. It has no text, because a server may have
 * no fonts for the languages of titles and names.
 *
 * @param covers one to three pictures that this service has encoded
 */
export async function composeCard(covers: readonly Buffer[]): Promise<Buffer> {
  const sharp = await loadSharp()
  const [first] = covers
  if (!first) throw new Error('A card needs a cover')
  // Enlarging a small picture blurs it in a fraction of the time.
  const small = await sharp(first).resize(40, 21, { fit: 'cover' }).blur(2).jpeg().toBuffer()
  const width = covers.length * COVER.width + (covers.length - 1) * GAP
  const shown = await Promise.all(
    covers.map(async (cover, index) => ({
      input: await sharp(cover)
        .resize({ ...COVER, fit: 'cover' })
        .jpeg({ quality: 90 })
        .toBuffer(),
      left: Math.round((CARD.width - width) / 2) + index * (COVER.width + GAP),
      top: (CARD.height - COVER.height) / 2,
    })),
  )
  return sharp(small)
    .resize({ ...CARD, fit: 'fill', kernel: 'cubic' })
    .modulate({ brightness: 0.6 })
    .composite(shown)
    .jpeg({ quality: 80, progressive: true })
    .toBuffer()
}
