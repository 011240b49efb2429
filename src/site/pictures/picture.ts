import { html, type Html } from '../../ui/html.ts'
import type { GradedChoice, PageContext } from '../../ui/page/page-context.ts'
import { fitTitle, initialOf } from './placeholder-title.ts'
import { picturePathOf, versionOf } from './picture-path.ts'
import type { PictureFormat, PictureKind, PictureWidth } from './picture-kinds.ts'

/** A picture in the catalog's data (§2.2). */
export type PictureMedia = {
  url: string
  width: number | null
  height: number | null
  sexual: number
  violence: number
}

export type PictureShape = 'cover' | 'portrait' | 'logo' | 'screenshot'

/**
 * How a graded picture is shown. `guest` shows it blurred only, and `shown` like any other picture. A choice renders a
 * link with `text` that reveals the picture, and therefore must not be nested in another link. Until then the page
 * does not contain the URL of the picture, so that browsers cannot fetch it.
 */
type Graded = 'guest' | 'shown' | (GradedChoice & { text: string })

export type PictureOptions = {
  /** If missing, the placeholder is shown. */
  media: PictureMedia | null | undefined
  kind: PictureKind
  /** Id within `kind`. */
  id: number
  /** Index among the pictures of the same kind and id; defaults to 0. */
  index?: number
  /** Alternative text, and the text of the placeholder. */
  title: string
  /** Language of the title, if known. */
  lang?: string | undefined
  shape: PictureShape
  /** Value of the attribute `sizes`. */
  sizes: string
  /**
   * Whether to load the picture at once, because it is visible when the page opens. Other pictures load when scrolled
   * into view.
   */
  eager?: boolean
  graded: Graded
  /** Whether to show the picture blurred only, regardless of its grade. */
  blurred?: boolean
  /** Whether the title is shown next to the picture, which therefore needs no alternative text. */
  decorative?: boolean
  /** Whether to keep the picture's own proportions instead of those of its shape. */
  whole?: boolean
}

/**
 * Widths and default proportions keyed by shape. The defaults reserve space for pictures of unknown size, so that
 * nothing shifts.
 */
const SHAPES: Record<
  PictureShape,
  { widths: readonly PictureWidth[]; width: number; height: number }
> = {
  cover: { widths: [160, 320, 640], width: 320, height: 480 },
  portrait: { widths: [160, 320], width: 240, height: 320 },
  logo: { widths: [160, 320], width: 320, height: 180 },
  screenshot: { widths: [320, 640, 1_280], width: 640, height: 360 },
}

export const isGraded = ({ sexual, violence }: PictureMedia) => sexual > 0 || violence > 0

/** Whether pages show pictures; false with `IMAGES=off`. */
export const hasPictures = ({ site }: Pick<PageContext, 'site'>): boolean => site?.pictures ?? true

/** Renders a picture in the supported widths and formats, or a placeholder. */
export function picture(context: Pick<PageContext, 'site'>, options: PictureOptions): Html {
  const { media, shape, kind, graded, blurred = false, whole = false } = options
  const frame = `picture ${shape} of-${kind.replaceAll('_', '-')}`
  if (!media || !hasPictures(context))
    return html`<span class="${frame} placeholder hue-${hueOf(options.id)}">${placeholder(options)}</span>`
  const classes = `${frame}${whole ? ' whole' : ''}`
  if (blurred || (graded === 'guest' && isGraded(media)))
    return html`<span class="${classes} graded">${image(options, media, true)}</span>`
  if (graded === 'guest' || graded === 'shown' || !isGraded(media))
    return html`<span class="${classes}">${image(options, media, false)}</span>`
  const { name, isShown, href, text } = graded
  return html`<a class="${classes} graded" href="${href}" rel="nofollow" data-graded="${name}">${image(options, media, !isShown)}<span class="reveal">${text}</span></a>`
}

function image(
  { kind, id, index = 0, shape, sizes, eager, title, lang, decorative, whole }: PictureOptions,
  media: PictureMedia,
  blurred: boolean,
): Html {
  const { widths, ...usual } = SHAPES[shape]
  const version = versionOf(media.url)
  const variantUrl = (width: PictureWidth, format: PictureFormat) =>
    picturePathOf({ kind, id, index, width, format, blurred, version })
  // Blurred pictures have one width, because a larger one would show no more detail.
  const offered = blurred ? widths.slice(0, 1) : widths
  const source = (format: PictureFormat) =>
    html`<source type="image/${format}" srcset="${offered.map((width) => `${variantUrl(width, format)} ${width}w`).join(', ')}" sizes="${sizes}">`
  const { width, height } = whole && media.width && media.height ? media : usual
  const language = lang !== undefined && !decorative && html` lang="${lang}"`
  return html`<picture>${source('avif')}${source('webp')}<img src="${variantUrl(blurred ? 160 : 320, 'jpg')}" alt="${decorative ? '' : title}"${language} width="${width}" height="${height}"${eager ? html` fetchpriority="high"` : html` loading="lazy"`} decoding="async"></picture>`
}

/** Number of hues, from which an entry's id chooses. Consecutive ids have distant hues. */
const HUES = 8
export const hueOf = (id: number) => (id * 5) % HUES

/** Screen readers skip the initial. */
function placeholder({ kind, title, lang, decorative }: PictureOptions): Html {
  const language = lang !== undefined && html` lang="${lang}"`
  const initial = initialOf(kind, title)
  if (initial !== undefined)
    return html`<span class="placeholder-title initial"${language} aria-hidden="true">${initial}</span>`
  return html`<span class="placeholder-title type-${fitTitle(title).step}"${language}${decorative && html` aria-hidden="true"`}>${title}</span>`
}
