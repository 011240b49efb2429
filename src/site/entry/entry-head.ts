import { KINDS, type EntryKind } from '../../catalog/kinds.ts'
import { html, type Html, type Part } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { ShownTitle } from '../components/titles.ts'
import { pathOfPicture, versionOf } from '../pictures/picture-address.ts'
import { hasPictures, picture, type PictureMedia, type PictureShape } from '../pictures/picture.ts'
import { langOf } from './facts-view.ts'

export type EntryHead = {
  kind: EntryKind
  id: number
  titles: readonly [ShownTitle, ...ShownTitle[]]
  media: PictureMedia | null | undefined
  shape: PictureShape
  /** Below the titles: the kind, the year, who made it. */
  facts: Part[]
  /** Its score, and the reader's own record. */
  below?: Part
}

type ReportedPicture = Pick<EntryHead, 'kind' | 'id' | 'media'>

/** The picture of an entry and what it is called: a band with its own blurred ground on phones, a column beside the text on wide screens. */
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
  return html`<div class="entry-cover of-${kind.replaceAll('_', '-')}">${media && hasPictures(context) && ground(kind, id, media)}<div class="entry-image of-${shape}">${image}</div></div>
<header class="entry-titles"><h1${langOf(main.lang)}>${main.text}</h1>${others.map(({ text, lang }) => html`<p class="other-title"${langOf(lang)}>${text}</p>`)}
<p class="entry-by">${facts.filter(Boolean).map((fact, index) => html`${index > 0 && html` <span aria-hidden="true">·</span> `}${fact}`)}</p>${below}</header>`
}

/**
 * Link to report an entry's picture. It belongs at the end of a page, so that keyboard users reach the entry's own
 * links first.
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

/** The picture again, large and blurred, behind the band; it is the variant that shows nothing. */
function ground(kind: EntryKind, id: number, media: PictureMedia): Html {
  const address = pathOfPicture({
    kind,
    id,
    index: 0,
    width: 160,
    format: 'jpg',
    blurred: true,
    version: versionOf(media.url),
  })
  return html`<img class="ground" src="${address}" alt="" width="160" height="240" loading="lazy" decoding="async">`
}
