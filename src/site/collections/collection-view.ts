import type { MosaicWork } from '../../collections/public-queries.ts'
import type { CollectionItem } from '../../collections/schemas.ts'
import type { ItemOrder } from '../../collections/items/item-sql-fragments.ts'
import { formatDay } from '../../ui/format-time.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { hiddenWorksNotice } from '../adult-works/hidden-works.ts'
import { pathWith } from '../components/path-with.ts'
import { chips } from '../components/chips.ts'
import { cardMark } from '../components/card.ts'
import { entryPath } from '../components/entry-path.ts'
import { pager } from '../components/pager.ts'
import { userText } from '../entry/texts.ts'
import { workTitles } from '../library/library-view.ts'
import { picturePathOf, versionOf } from '../pictures/picture-path.ts'
import { isGraded, picture } from '../pictures/picture.ts'
import { WORKS_FEED } from '../works-feed.ts'
import { collectionPath, mosaic } from './mosaic.ts'

export type CollectionHead = {
  id: number
  name: string
  description: string
  owner: string
  amount: number
  changed: Date
  isPrivate: boolean
  isOwn: boolean
  /** Number of adult works that the page leaves out. */
  hidden: number
}

export type CollectionPage = CollectionHead & {
  items: CollectionItem[]
  mosaic: MosaicWork[]
  /** Path of the owner's profile, if it is published. */
  ownerPath: string | undefined
  sort: ItemOrder
  page: number
  last: number
  /** Number of works on earlier pages. */
  start: number
}

/** Renders a collection: its covers, its owner, and its works with notes. */
export function collectionView(context: PageContext, data: CollectionPage): View {
  const { messages } = context
  const { collectionPage: texts } = messages
  const { id, name, description, owner, ownerPath, amount, isPrivate, isOwn, items, sort, page } =
    data
  const path = collectionPath(id)
  const parameters = new URLSearchParams(sort === 'position' ? {} : { sort })
  const pathOf = (number: number) =>
    pathWith(path, parameters, { page: number === 1 ? null : String(number) })
  const orders = (['position', 'added'] as const).map((order) => ({
    href: order === 'position' ? path : `${path}?sort=${order}`,
    text: texts.orders[order],
    isCurrent: order === sort,
  }))
  const day = data.changed.toISOString().slice(0, 10)
  const changed = texts.changed({ day: formatDay(context, data.changed) })
  const works = texts.works({ amount })
  return {
    title: name,
    styles: ['collections.css'],
    head: {
      description: description || `${name} – ${works} – ${owner}`,
      ...(isPrivate
        ? { robots: 'noindex' as const }
        : {
            canonical: path,
            openGraph: { type: 'website', image: imageOf(data.mosaic) },
            jsonLd: jsonLdOf(context, data),
            feeds: [{ title: name, href: path + WORKS_FEED }],
          }),
      ...((page > 1 || sort !== 'position') && { robots: 'noindex' as const }),
    },
    body: html`<header class="collection-head">${mosaic(context, data.mosaic, '9rem')}
<div><h1>${name}</h1>
<p class="quiet">${texts.by} ${ownerPath === undefined ? owner : html`<a href="${ownerPath}" rel="author">${owner}</a>`} · ${works} · <time datetime="${day}">${changed}</time>${isPrivate && html` · <span class="tag">${texts.isPrivate}</span>`}</p>
${description !== '' && html`<div class="prose">${userText(description)}</div>`}
${(isOwn || !isPrivate) && html`<p class="ways">${isOwn && html`<a href="/library/collections/${id}">${texts.edit}</a>`}${!isPrivate && html`<a href="${path}${WORKS_FEED}">${messages.feedPage.link}</a>`}</p>`}</div></header>
${hiddenWorksNotice(context, data.hidden)}${
      items.length === 0
        ? data.hidden === 0 &&
          html`<div class="empty"><p>${texts.empty}</p>${isOwn && html`<p class="quiet">${texts.emptyHint}</p>`}</div>`
        : html`${chips(texts.order, orders)}
<ol class="grid of-cover collected" start="${data.start + 1}">${items.map((item) => itemCard(context, item))}</ol>`
    }
${pager(context, { page, last: data.last, pathOf })}`,
  }
}

function itemCard(context: PageContext, item: CollectionItem): Html {
  const { messages } = context
  const { type: kind, work_id: id, work, note } = item
  const [main] = workTitles(context, work)
  const title = main?.text ?? `${messages.kinds[kind]} ${id}`
  const date =
    item.galgame?.release_date ?? item.light_novel?.publication_date ?? item.manga?.publication_date
  const image = picture(context, {
    media: work.image,
    kind,
    id,
    title,
    lang: main?.lang,
    shape: 'cover',
    sizes: '(min-width: 64rem) 12rem, (min-width: 40rem) 18vw, (min-width: 30rem) 30vw, 45vw',
    graded: 'guest',
    decorative: true,
  })
  return html`<li class="entry" id="${kind}-${id}"><a href="${entryPath(kind, id)}">${image}<span class="entry-title"${main?.lang !== undefined && html` lang="${main.lang}"`}>${title}</span></a>${cardMark(context, kind, id, title)}
<p class="entry-facts">${[messages.kinds[kind], date?.slice(0, 4)].filter(Boolean).join(' · ')}</p>
${note !== '' && html`<div class="item-note">${userText(note)}</div>`}</li>`
}

/** Builds a collection's structured data, with the works of this page in order. */
function jsonLdOf(
  context: PageContext,
  { id, name, description, owner, ownerPath, changed, items, start, amount }: CollectionPage,
): Record<string, unknown> {
  const { origin } = context
  return {
    '@type': 'CollectionPage',
    name,
    url: origin + collectionPath(id),
    ...(description !== '' && { description: description.slice(0, 500) }),
    dateModified: changed.toISOString(),
    author: {
      '@type': 'Person',
      name: owner,
      ...(ownerPath !== undefined && { url: origin + ownerPath }),
    },
    mainEntity: {
      '@type': 'ItemList',
      numberOfItems: amount,
      itemListElement: items.map(({ type: kind, work_id: workId, work }, index) => ({
        '@type': 'ListItem',
        position: start + index + 1,
        name: workTitles(context, work)[0]?.text ?? work.name,
        url: origin + entryPath(kind, workId),
      })),
    },
  }
}

/** Returns the path of the picture for link previews: the first cover, blurred if it is graded. */
function imageOf([first]: readonly MosaicWork[]): string | undefined {
  const image = first?.work?.image
  if (!first || !image) return undefined
  return picturePathOf({
    kind: first.kind,
    id: first.work_id,
    index: 0,
    width: 640,
    format: 'jpg',
    blurred: isGraded(image),
    version: versionOf(image.url),
  })
}
