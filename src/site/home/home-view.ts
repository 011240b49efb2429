import type { SortName } from '../../browse/lists/sorts.ts'
import type { EntrySummary } from '../../browse/summary.ts'
import { isWorkKind, KINDS, WORK_KINDS } from '../../catalog/kinds.ts'
import type { NewestReview } from '../../ratings/reviews/newest-queries.ts'
import { relativeTimeElement } from '../../ui/format-time.ts'
import { html, type Html } from '../../ui/html.ts'
import { searchBox } from '../../ui/page/frame.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { hiddenWorksNotice } from '../adult-works/hidden-works.ts'
import { collectionCards } from '../collections/mosaic.ts'
import type { CardOptions, EntryNotes } from '../components/card.ts'
import { entryGrid } from '../components/entry-grid.ts'
import { entryPath, reviewPath } from '../components/entry-path.ts'
import { scoreMark } from '../components/format-number.ts'
import { shownTitles } from '../components/titles.ts'
import { nextStep, readText } from '../library/rating/next-step.ts'
import { picture } from '../pictures/picture.ts'
import type { HomeData } from './find-home.ts'

/**
 * Renders the home page: search for guests or the user's own works, then what other users read and
 * write, and shelves of works with links to the full lists. Empty shelves are omitted.
 */
export function homeView(
  context: PageContext,
  data: HomeData,
  emptyNotice: Html | undefined,
  notice: Html | undefined,
): View {
  const { viewer, messages } = context
  const { home: texts, layout } = messages
  const { own } = data
  const hasOwn = own.going.length + own.planned.length > 0
  return {
    title: texts.title,
    hasOwnSearch: !viewer,
    styles: ['collections.css'],
    head: {
      description: texts.description,
      canonical: '/',
      openGraph: { type: 'website' },
      feeds: [{ title: messages.feedPage.title, href: '/feeds/new.atom' }],
      jsonLd: {
        '@type': 'WebSite',
        name: context.siteName,
        url: `${context.origin}/`,
        potentialAction: {
          '@type': 'SearchAction',
          target: {
            '@type': 'EntryPoint',
            urlTemplate: `${context.origin}/search?q={search_term_string}`,
          },
          'query-input': 'required name=search_term_string',
        },
      },
    },
    body: html`${viewer ? html`<h1 class="unseen">${texts.title}</h1>` : hero(context)}
${notice}${shelf(context, { heading: texts.going, entries: own.going, eager: true, controls: stepsOf(context, data) })}
${shelf(context, { heading: texts.next, entries: own.planned, eager: own.going.length === 0 })}
${shelf(context, { heading: texts.read, entries: data.trending, links: 'popularity', eager: !hasOwn })}
${reviewsShelf(context, data.reviews)}
${
  data.collections.length > 0 &&
  html`<section class="shelf">${shelfHead(texts.collections)}${collectionCards(context, data.collections, data.mosaics)}</section>`
}
${WORK_KINDS.map((kind) =>
  shelf(context, {
    heading: `${texts.best} · ${layout[LABELS[kind]]}`,
    entries: data.best[kind],
    more: `/${KINDS[kind].path}?sort=score`,
    showsKind: false,
    showsVotes: true,
  }),
)}
${shelf(context, { heading: texts.newest, entries: data.newest, links: 'date' })}
${shelf(context, { heading: messages.feedPage.title, entries: data.added })}
${hiddenWorksNotice(context, data.hidden)}${emptyNotice}`,
  }
}

/** Renders what the viewer has read of each work in progress, with a button that adds the next volume or chapter. */
const stepsOf = (context: PageContext, { own, progress }: HomeData): EntryNotes =>
  new Map(
    own.going.flatMap((entry) => {
      const read = progress.get(entry.id)
      if (!read || !isWorkKind(entry.type)) return []
      const [{ text: title }] = shownTitles(context, entry)
      const { type: kind, id } = entry
      const step = { kind, id, title, ...read, status: 'GOING', rate: null, back: '/' } as const
      const text = readText(context.messages, read, read.total)
      return [
        [
          id,
          html`<div class="home-step cluster"><span class="own-read quiet">${text}</span>${nextStep(context, step)}</div>`,
        ],
      ]
    }),
  )

/** Names of the lists, which are keys of the messages. */
const LABELS = { galgame: 'galgames', light_novel: 'lightNovels', manga: 'mangas' } as const

function hero({ messages }: PageContext): Html {
  const { home: texts, layout } = messages
  return html`<div class="hero">
<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${searchBox(messages, '')}
<p class="doors">${WORK_KINDS.map((kind) => html`<a class="of-${kind.replace('_', '-')}" href="/${KINDS[kind].path}">${layout[LABELS[kind]]}</a>`)}</p>
</div>`
}

const shelfHead = (heading: string, links?: Html) =>
  html`<div class="shelf-head cluster"><h2>${heading}</h2>${links}</div>`

type ShelfOptions = CardOptions & {
  heading: string
  entries: EntrySummary[]
  /** Order of the lists to which the links below the heading lead, one per kind. */
  links?: SortName
  /** Path of the whole list. */
  more?: string
}

/** Renders a shelf, unless it is empty. */
function shelf(
  context: PageContext,
  { heading, entries, links, more, ...options }: ShelfOptions,
): Html | undefined {
  if (entries.length === 0) return undefined
  const { layout, home: texts } = context.messages
  const named = html`<span class="unseen">${heading}: </span>`
  return html`<section class="shelf">${shelfHead(
    heading,
    html`${
      links !== undefined &&
      html`<p>${WORK_KINDS.map((kind) => html`<a href="/${KINDS[kind].path}?sort=${links}">${named}${layout[LABELS[kind]]}</a>`)}</p>`
    }${more !== undefined && html`<p><a href="${more}">${named}${texts.more}</a></p>`}`,
  )}
${entryGrid(context, entries, { showsKind: true, eager: false, ...options })}
</section>`
}

function reviewsShelf(context: PageContext, reviews: NewestReview[]): Html | undefined {
  if (reviews.length === 0) return undefined
  const { messages } = context
  return html`<section class="shelf">${shelfHead(messages.home.reviews)}
<ul class="home-reviews tiles">${reviews.map(
    ({ id, work, author, rate, text, created_at: written }) => {
      const [main] = shownTitles(context, work)
      const path = entryPath(work.type, work.id)
      const cover = picture(context, {
        media: work.cover,
        kind: work.type,
        id: work.id,
        title: main.text,
        lang: main.lang,
        shape: 'cover',
        sizes: '4.5rem',
        graded: 'guest',
        decorative: true,
      })
      return html`<li><a class="own-cover" href="${path}" tabindex="-1" aria-hidden="true">${cover}</a>
<article><h3><a href="${reviewPath(work.type, work.id, id)}"${main.lang !== undefined && html` lang="${main.lang}"`}>${main.text}</a></h3>
<p class="quiet">${
        rate !== null && html`${scoreMark(messages, rate)} `
      }${author.name} · ${relativeTimeElement(context, written, context.site?.now() ?? Date.now())}</p>
<p class="card-text">${text}</p></article></li>`
    },
  )}</ul></section>`
}
