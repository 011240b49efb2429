import { KINDS, type EntryKind } from '../../catalog/kinds.ts'
import { html, type Html, type Part } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { ShownTitle } from '../components/titles.ts'
import { picturePathOf, versionOf } from '../pictures/picture-path.ts'
import { hasPictures, picture, type PictureMedia, type PictureShape } from '../pictures/picture.ts'
import { langOf } from './facts-view.ts'

export type EntryHead = {
  kind: EntryKind
  id: number
  titles: readonly [ShownTitle, ...ShownTitle[]]
  media: PictureMedia | null | undefined
  shape: PictureShape
  /** Facts below the titles: kind, year and creator. */
  facts: Part[]
  /** Score and the viewer's own rating. */
  below?: Part
}

type ReportedPicture = Pick<EntryHead, 'kind' | 'id' | 'media'>

/**
 * Renders the picture and titles of an entry: a band with a blurred background on phones, a column
 * next to the text on wide screens.
 */
export function entryHead(
  context: PageContext,
  { kind, id, titles, media, shape, facts, below }: EntryHead,
): Html {
  const { messages } = context
  const graded = context.graded?.('head')
  const [main, ...others] = titles
  const shared = { kind, id, title: main.text, lang: main.lang, shape }
  const image = picture(context, {
    ...shared,
    media,
    sizes: '(min-width: 48rem) 17rem, 11rem',
    eager: true,
    whole: media !== null && media !== undefined && shape !== 'logo',
    graded: graded
      ? { ...graded, text: graded.isShown ? messages.entry.hidePicture : messages.entry.reveal }
      : 'guest',
  })
  return html`<div class="entry-cover of-${kind.replaceAll('_', '-')}">${media && hasPictures(context) && blurredBackground(kind, id, media)}<div class="entry-image of-${shape}">${image}</div></div>
<header class="entry-titles"><h1${langOf(main.lang)}>${main.text}</h1>${others.map(({ text, lang }) => html`<p class="other-title"${langOf(lang)}>${text}</p>`)}
<p class="entry-by">${facts.filter(Boolean).map((fact, index) => html`${index > 0 && html` <span aria-hidden="true">·</span> `}${fact}`)}</p>${below}</header>`
}

/**
 * Link to report an entry's picture. It belongs at the end of a page, so that keyboard users reach
 * the entry's own links first.
 */
export function reportPicture(
  { messages }: PageContext,
  { kind, id, media }: ReportedPicture,
): Html | false {
  if (!media) return false
  const query = new URLSearchParams({
    picture: `${KINDS[kind].path}/${id}`,
    url: media.url,
  }).toString()
  return html`<p><a class="report-link" href="/report?${query}" rel="nofollow">${messages.reports.linkPicture}</a></p>`
}

/** Renders the picture as the blurred background of the band. */
function blurredBackground(kind: EntryKind, id: number, media: PictureMedia): Html {
  const path = picturePathOf({
    kind,
    id,
    index: 0,
    width: 160,
    format: 'jpg',
    blurred: true,
    version: versionOf(media.url),
  })
  return html`<img class="ground" src="${path}" alt="" width="160" height="240" loading="lazy" decoding="async">`
}
