import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { REVIEW_ORDERS, type ReviewOrder } from '../../ratings/reviews/schemas.ts'
import { chips } from '../components/chips.ts'
import type { Head } from '../../ui/page/head.ts'
import { entryPath, reviewPath } from '../components/entry-path.ts'
import { pager } from '../components/pager.ts'
import { reviewCardPath } from '../pictures/cards/card-routes.ts'
import { castView } from './cast-view.ts'
import type { CastEntry, Credit, Review, WorkData } from './entry-data.ts'
import { reviewsView } from './reviews/reviews-view.ts'
import type { Statistics } from './reviews/score-view.ts'
import { partSection } from './section.ts'
import { staffView } from './staff-view.ts'
import { toShownWork } from './works/shown-work.ts'
import { previewImage, workHead, workTabs, type WorkTotals } from './works/work-view.ts'

export type PartTotals = WorkTotals & { statistics: Statistics; producers: Credit[] }

/** Renders all characters of a work. */
export const castPage = (
  context: PageContext,
  work: WorkData,
  totals: PartTotals,
  cast: CastEntry[],
): View =>
  partPage(context, work, totals, {
    part: '/characters',
    heading: context.messages.entry.characters,
    body: cast.length > 0 ? castView(context, cast) : emptyText(context.messages.entry.noneKnown),
  })

/** Renders a work's whole staff. */
export const staffPage = (
  context: PageContext,
  work: WorkData,
  totals: PartTotals,
  credits: Credit[],
): View =>
  partPage(context, work, totals, {
    part: '/staff',
    heading: context.messages.entry.staff,
    body:
      credits.length > 0
        ? staffView(context, credits)
        : emptyText(context.messages.entry.noneKnown),
  })

export type ReviewList = { reviews: Review[]; order: ReviewOrder; page: number; last: number }

/** Renders a page of a work's reviews in the chosen order. */
export function reviewsPage(
  context: PageContext,
  work: WorkData,
  totals: PartTotals,
  { reviews, order, page, last }: ReviewList,
): View {
  const { entry: texts } = context.messages
  const path = `${entryPath(work.kind, work.data.id)}/reviews`
  const orders = REVIEW_ORDERS.map((other) => ({
    href: `${path}?order=${other}`,
    text: texts.orders[other],
    isCurrent: other === order,
  }))
  return partPage(context, work, totals, {
    part: '/reviews',
    heading: texts.reviews,
    body: html`${chips(texts.order, orders)}${reviews.length > 0 ? html`<div class="reviews tiles">${reviewsView(context, work, reviews)}</div>` : emptyText(texts.noReviews)}${pager(context, { page, last, pathOf: (number) => `${path}?order=${order}&page=${number}` })}`,
  })
}

/** Renders the page of one review, which has its own link preview. */
export function reviewPage(
  context: PageContext,
  work: WorkData,
  totals: PartTotals,
  review: Review,
): View {
  const { entry: texts, profilePage } = context.messages
  const { id } = work.data
  const all = texts.allOf({ heading: texts.reviews, amount: totals.reviewsTotal })
  const image = previewImage(context, toShownWork(context, work))
  return partPage(context, work, totals, {
    part: '/reviews',
    heading: texts.reviewBy({ name: review.user.name }),
    more: { href: `${entryPath(work.kind, id)}/reviews`, text: all },
    body: reviewsView(context, work, [review]),
    head: {
      description: review.is_spoiler ? profilePage.spoilerInFeed : review.rate_content,
      canonical: reviewPath(work.kind, id, review.id),
      // Search engines have the list of reviews. A page for each would be found by the name of its author.
      robots: 'noindex',
      openGraph: { type: 'article', image: image && reviewCardPath(work.kind, id, review.id) },
    },
  })
}

const emptyText = (text: string) => html`<p class="quiet">${text}</p>`

type EntryPart = {
  part: string
  heading: string
  body: Html
  more?: { href: string; text: string }
  /** Metadata that replaces the work's. */
  head?: Head
}

function partPage(
  context: PageContext,
  work: WorkData,
  totals: PartTotals,
  { part, heading, body, more, head }: EntryPart,
): View {
  const shown = toShownWork(context, work, totals.producers)
  const title = `${shown.titles[0].text}: ${heading}`
  return {
    title,
    body: html`<article class="work of-part">${workHead(context, shown, totals)}
<div class="entry-parts">${workTabs(context, shown, totals, part)}${partSection(heading, body, { more })}</div></article>`,
    head: {
      description: title,
      canonical: entryPath(shown.kind, shown.id) + part,
      openGraph: { type: 'website', image: previewImage(context, shown) },
      ...head,
    },
  }
}
