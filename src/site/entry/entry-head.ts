import { KINDS, type EntryKind } from '../../catalog/kinds.ts'
import { html, type Html, type Part } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { entryPath } from '../components/entry-path.ts'
import type { ShownTitle } from '../components/titles.ts'
import { wholePicturePath } from '../pictures/picture-path.ts'
import {
  hasPictures,
  isGraded,
  picture,
  type PictureMedia,
  type PictureShape,
} from '../pictures/picture.ts'
import { langOf } from './facts-view.ts'

export type EntryHead = {
  kind: EntryKind
  id: number
  titles: readonly [ShownTitle, ...ShownTitle[]]
  media: PictureMedia | null | undefined
  /** Whether to show the picture blurred only, and without a link that names its source. */
  blurred?: boolean
  shape: PictureShape
  /** Facts below the titles: kind, year and creator. */
  facts: Part[]
  /** Score, below the facts. */
  below?: Part
  /** Form for the viewer's own rating. */
  own?: Part
}

/** Renders the picture and titles of an entry side by side, and the viewer's own rating below. */
export function entryHead(
  context: PageContext,
  { kind, id, titles, media, blurred = false, shape, facts, below, own }: EntryHead,
): Html {
  const { messages } = context
  const graded = context.graded?.('head')
  const [main, ...others] = titles
  const shared = { kind, id, title: main.text, lang: main.lang, shape }
  // A graded picture is a link that reveals it.
  const isOpen = media && !blurred && shape === 'cover' && hasPictures(context) && !isGraded(media)
  const image = picture(context, {
    ...shared,
    media,
    blurred,
    sizes: '(min-width: 48rem) 17rem, 7rem',
    eager: true,
    whole: media !== null && media !== undefined && shape !== 'logo',
    graded: graded
      ? { ...graded, text: graded.isShown ? messages.entry.hidePicture : messages.entry.reveal }
      : 'guest',
  })
  return html`<div class="entry-cover of-${kind.replaceAll('_', '-')}"><div class="entry-image of-${shape}">${isOpen ? html`<a href="${wholePicturePath({ kind, id }, media)}" data-view>${image}</a>` : image}</div></div>
<header class="entry-titles"><h1${langOf(main.lang)}>${main.text}</h1>${others.map(({ text, lang }) => html`<p class="other-title"${langOf(lang)}>${text}</p>`)}
<p class="entry-by">${facts.filter(Boolean).map((fact, index) => html`${index > 0 && html` <span aria-hidden="true">·</span> `}${fact}`)}</p>${below}${!blurred && menu(context, { kind, id, media })}</header>${own && html`<div class="entry-own">${own}</div>`}`
}

/** Renders the menu of an entry's other actions. */
function menu(
  { messages, viewer }: PageContext,
  { kind, id, media }: Pick<EntryHead, 'kind' | 'id' | 'media'>,
): Html {
  const { path, singular } = KINDS[kind]
  const { entry: texts } = messages
  const query = media && new URLSearchParams({ picture: `${path}/${id}`, url: media.url })
  return html`<details class="drop entry-menu"><summary aria-label="${texts.more}">⋯</summary><ul class="panel">${query && html`<li><a href="/report?${query.toString()}" rel="nofollow">${messages.reports.linkPicture}</a></li>`}<li><a href="/report?entry=${path}/${id}" rel="nofollow">${messages.reports.linkEntry}</a></li><li><a href="${entryPath(kind, id)}/history" rel="nofollow">${texts.history.title}</a></li><li><a href="/docs/get${singular}?id=${id}#try">${texts.reference}</a></li>${viewer?.role === 'ADMIN' && html`<li><a href="/desk/entries?kind=${kind}&amp;id=${id}">${messages.desk.title}</a></li>`}</ul></details>`
}
