import { relativeTimeElement } from '../../../ui/format-time.ts'
import { html, type Html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { portrait } from '../../../ui/portrait.ts'
import { reviewPath } from '../../components/entry-path.ts'
import { statusLabels } from '../../library/rating/quick-rating.ts'
import type { Review, WorkData } from '../entry-data.ts'
import { labelFor } from '../labels.ts'
import { userText } from '../texts.ts'

/** Renders a user's name, with a link to their profile if it is published. */
export const userLink = (
  { profilePaths }: PageContext,
  { id, name }: { id: number; name: string },
): Html => {
  const path = profilePaths?.get(id)
  return path === undefined ? html`${name}` : html`<a href="${path}" rel="author">${name}</a>`
}

/** Renders reviews. Spoilers are collapsed unless the viewer prefers to see them. */
export function reviewsView(
  context: PageContext,
  { kind, data }: WorkData,
  reviews: Review[],
): Html {
  const { messages, viewer } = context
  const { entry: texts } = messages
  return html`${reviews.map((review) => {
    const { id, user, rate, status, created_at: written, is_spoiler: isSpoiler } = review
    const text = userText(review.rate_content)
    const votes = review.like_count + review.dislike_count > 0
    const isOwn = viewer?.accountId === user.id
    const canVote = viewer !== undefined && !isOwn
    return html`<article class="review" id="review-${id}"><header class="cluster">${portrait(user)}<h3>${userLink(context, user)}</h3><p class="quiet">${
      rate !== null &&
      html`<span class="score"><span class="unseen">${messages.browse.score({ score: rate.toFixed(1) })}</span><span aria-hidden="true">★ ${rate.toFixed(1)}</span></span> `
    }${status !== null && html`${labelFor(statusLabels(messages, kind), status)} · `}<a href="${reviewPath(kind, data.id, id)}">${relativeTimeElement(context, new Date(written), context.site?.now() ?? Date.now())}</a></p></header>
${isSpoiler ? html`<details class="spoiler"${viewer?.showsSpoilers === true && html` open`}><summary>${texts.spoiler}</summary>${text}</details>` : text}
${votes && html`<p class="quiet">${texts.helpful({ likes: String(review.like_count), dislikes: String(review.dislike_count) })}</p>`}
${!isOwn && html`<div class="review-foot cluster">${canVote && voteForm(context, id)}<a class="report-link" href="/report?review=${id}" rel="nofollow">${messages.reports.link}</a></div>`}</article>`
  })}`
}

const voteForm = ({ messages, csrfField }: PageContext, id: number) =>
  html`<form class="vote cluster" method="post" action="/reviews/${id}/vote">${csrfField()}<span>${messages.entry.vote}</span><button class="secondary" name="vote" value="LIKE">${messages.entry.yes}</button><button class="secondary" name="vote" value="DISLIKE">${messages.entry.no}</button></form>`
