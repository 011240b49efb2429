import { html, type Html } from '../../ui/html.ts'
import type { GradedChoice, PageContext } from '../../ui/page/page-context.ts'
import { initialOf } from './initial.ts'
import { pathOfPicture, versionOf } from './picture-address.ts'
import type { PictureFormat, PictureKind, PictureWidth } from './picture-kinds.ts'

/** What the catalog says of a picture (§2.2). */
export type PictureMedia = {
  url: string
  width: number | null
  height: number | null
  sexual: number
  violence: number
}

export type PictureShape = 'cover' | 'portrait' | 'logo' | 'screenshot'

/**
 * What becomes of a picture that is graded: `guest` the blurred variant alone, `shown` the picture as any other, and else a
 * choice of who looks, which is a link, and so must not stand in one; `text` is on it. Before it is asked for the page holds
 * no address of the picture, so that no browser fetches it.
 */
type Graded = 'guest' | 'shown' | (GradedChoice & { text: string })

export type PictureOptions = {
  /** Missing: the placeholder. */
  media: PictureMedia | null | undefined
  kind: PictureKind
  /** Of what `kind` names. */
  id: number
  /** Its place among the pictures of the same kind and id; 0 when missing. */
  index?: number
  /** What it is a picture of: its alternative text, and what its placeholder shows. */
  title: string
  /** Of the title, where it is known. */
  lang?: string | undefined
  shape: PictureShape
  /** The attribute `sizes`: how wide it is shown. */
  sizes: string
  /** In view when the page opens; else it is loaded when it comes into view. */
  eager?: boolean
  graded: Graded
  /** The title stands beside it: then it has no alternative text of its own. */
  decorative?: boolean
  /** In its own proportions instead of those of its shape. */
  whole?: boolean
}

/** Widths and proportions by shape; what is not known of a picture is taken from here, so that nothing shifts. */
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

/** Whether pages have pictures at all: with `IMAGES=off` they ask for none. */
export const hasPictures = ({ site }: Pick<PageContext, 'site'>): boolean => site?.pictures ?? true

/** A picture from our own address in the few widths and formats there are, or the placeholder designed for none. */
export function picture(context: Pick<PageContext, 'site'>, options: PictureOptions): Html {
  const { media, shape, kind, graded, whole = false } = options
  const frame = `picture ${shape} of-${kind.replaceAll('_', '-')}`
  if (!media || !hasPictures(context))
    return html`<span class="${frame} placeholder">${placeholder(options)}</span>`
  const classes = `${frame}${whole ? ' whole' : ''}`
  if (!isGraded(media) || graded === 'shown')
    return html`<span class="${classes}">${image(options, media, false)}</span>`
  if (graded === 'guest')
    return html`<span class="${classes} graded">${image(options, media, true)}</span>`
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
  const address = (width: PictureWidth, format: PictureFormat) =>
    pathOfPicture({ kind, id, index, width, format, blurred, version })
  // Of what is blurred there is one width: more would show no more.
  const offered = blurred ? widths.slice(0, 1) : widths
  const source = (format: PictureFormat) =>
    html`<source type="image/${format}" srcset="${offered.map((width) => `${address(width, format)} ${width}w`).join(', ')}" sizes="${sizes}">`
  const { width, height } = whole && media.width && media.height ? media : usual
  const language = lang !== undefined && !decorative && html` lang="${lang}"`
  return html`<picture>${source('avif')}${source('webp')}<img src="${address(blurred ? 160 : 320, 'jpg')}" alt="${decorative ? '' : title}"${language} width="${width}" height="${height}"${eager ? html` fetchpriority="high"` : html` loading="lazy"`} decoding="async"></picture>`
}

/** Longer titles are set smaller; a Han character or kana is as wide as two letters. An initial is for the eye alone. */
function placeholder({ kind, title, lang, decorative }: PictureOptions): Html {
  const initial = initialOf(kind, title)
  if (initial !== undefined)
    return html`<span class="placeholder-title initial"${lang !== undefined && html` lang="${lang}"`} aria-hidden="true">${initial}</span>`
  const letters = [...title].reduce((sum, letter) => sum + (letter > '\u2e7f' ? 2 : 1), 0)
  const size = letters <= 12 ? 'short' : letters <= 32 ? 'middle' : 'long'
  return html`<span class="placeholder-title ${size}"${lang !== undefined && html` lang="${lang}"`}${decorative && html` aria-hidden="true"`}>${title}</span>`
}
