import type { WorkKind } from '../../../catalog/kinds.ts'
import { html, type Html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { portrait } from '../../../ui/portrait.ts'
import { statusWords } from '../../library/record/mark-form.ts'
import type { Review } from '../entry-data.ts'
import { dayOf, wordFor } from '../entry-words.ts'
import { readersText } from '../text-parts.ts'

/** A reader's name, with the way to their profile where they show one. */
export const readerName = (
  { profileAddresses }: PageContext,
  { id, name }: { id: number; name: string },
): Html => {
  const address = profileAddresses?.get(id)
  return address === undefined ? html`${name}` : html`<a href="${address}" rel="author">${name}</a>`
}

/** What readers have written; what tells what happens is folded. */
export function reviewsView(context: PageContext, kind: WorkKind, reviews: Review[]): Html {
  const { messages, reader } = context
  const { entry: words } = messages
  return html`${reviews.map((review) => {
    const { id, user, rate, status, created_at: written, is_spoiler: isSpoiler } = review
    const text = readersText(review.rate_content)
    const votes = review.like_count + review.dislike_count > 0
    const isOwn = reader?.accountId === user.id
    const canVote = reader !== undefined && !isOwn
    return html`<article class="review" id="review-${id}"><header class="cluster">${portrait(user)}<h3>${readerName(context, user)}</h3><p class="quiet">${
      rate !== null &&
      html`<span class="score"><span class="unseen">${messages.browse.score({ score: rate.toFixed(1) })}</span><span aria-hidden="true">★ ${rate.toFixed(1)}</span></span> `
    }${status !== null && html`${wordFor(statusWords(messages, kind), status)} · `}<time datetime="${written}">${dayOf(written)}</time></p></header>
${isSpoiler ? html`<details class="spoiler"${reader?.showsSpoilers === true && html` open`}><summary>${words.spoiler}</summary>${text}</details>` : text}
${votes && html`<p class="quiet">${words.helpful({ likes: String(review.like_count), dislikes: String(review.dislike_count) })}</p>`}
${!isOwn && html`<div class="review-foot cluster">${canVote && voteForm(context, id)}<a class="report-link" href="/report?review=${id}" rel="nofollow">${messages.reports.link}</a></div>`}</article>`
  })}`
}

const voteForm = ({ messages, csrfField }: PageContext, id: number) =>
  html`<form class="vote cluster" method="post" action="/reviews/${id}/vote">${csrfField()}<span>${messages.entry.vote}</span><button class="secondary" name="vote" value="LIKE">${messages.entry.yes}</button><button class="secondary" name="vote" value="DISLIKE">${messages.entry.no}</button></form>`
