import { html, type Html } from '../../pages/html.ts'
import type { PageContext } from '../../pages/page-context.ts'
import { portrait } from '../../pages/portrait.ts'
import type { Review } from './entry-data.ts'
import { dayOf, wordFor } from './entry-words.ts'
import { readersText } from './text-parts.ts'

/** What readers have written; what tells what happens is folded. */
export function reviewsView(context: PageContext, reviews: Review[]): Html {
  const { messages, reader } = context
  const { entry: words } = messages
  return html`${reviews.map((review) => {
    const { id, user, rate, status, created_at: written, is_spoiler: isSpoiler } = review
    const text = readersText(review.rate_content)
    const votes = review.like_count + review.dislike_count > 0
    const canVote = reader !== undefined && reader.accountId !== user.id
    return html`<article class="review" id="review-${id}"><header>${portrait(user)}<h3>${user.name}</h3><p class="quiet">${
      rate !== null &&
      html`<span class="score"><span class="unseen">${messages.browse.score(rate.toFixed(1))}</span><span aria-hidden="true">★ ${rate.toFixed(1)}</span></span> `
    }${status !== null && html`${wordFor(words.statuses, status)} · `}<time datetime="${written}">${dayOf(written)}</time></p></header>
${isSpoiler ? html`<details class="spoiler"><summary>${words.spoiler}</summary>${text}</details>` : text}
${votes && html`<p class="quiet">${words.helpful(String(review.like_count), String(review.dislike_count))}</p>`}
${canVote && voteForm(context, id)}</article>`
  })}`
}

const voteForm = ({ messages, csrfField }: PageContext, id: number) =>
  html`<form class="vote" method="post" action="/reviews/${id}/vote">${csrfField()}<span>${messages.entry.vote}</span><button class="secondary" name="vote" value="LIKE">${messages.entry.yes}</button><button class="secondary" name="vote" value="DISLIKE">${messages.entry.no}</button></form>`
