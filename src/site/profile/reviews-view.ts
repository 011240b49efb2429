import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { UserReview } from '../../ratings/reviews/queries.ts'
import { entryAddress } from '../components/entry-address.ts'
import { readersText } from '../entry/text-parts.ts'
import { shownTitlesOf } from '../library/library-view.ts'
import { statusWords } from '../library/record/mark-form.ts'
import { picture } from '../pictures/picture.ts'

/** What a reader has written of works, each under the title of its work; what tells what happens is folded. */
export function readerReviewsView(context: PageContext, reviews: UserReview[]): Html {
  const { messages } = context
  const { entry: words } = messages
  return html`<div class="reader-reviews">${reviews.map((review) => {
    const { id, kind, work_id: workId, work, rate, status, created_at: written } = review
    const [main] = shownTitlesOf(context, work)
    const title = main?.text ?? `${messages.kinds[kind]} ${workId}`
    const text = readersText(review.rate_content)
    const votes = review.like_count + review.dislike_count > 0
    const cover = picture(context, {
      media: work?.image,
      kind,
      id: workId,
      title,
      lang: main?.lang,
      shape: 'cover',
      sizes: '4.5rem',
      graded: 'guest',
      decorative: true,
    })
    return html`<article class="review" id="review-${id}"><a class="own-cover" href="${entryAddress(kind, workId)}" tabindex="-1" aria-hidden="true">${cover}</a>
<div><header class="cluster"><h3><a href="${entryAddress(kind, workId)}"${main?.lang !== undefined && html` lang="${main.lang}"`}>${title}</a></h3><p class="quiet">${
      rate !== null &&
      html`<span class="score"><span class="unseen">${messages.browse.score({ score: rate.toFixed(1) })}</span><span aria-hidden="true">★ ${rate.toFixed(1)}</span></span> `
    }${status !== null && html`${statusWords(messages, kind)[status]} · `}<time datetime="${written.toISOString()}">${written.toISOString().slice(0, 10)}</time></p></header>
${review.is_spoiler ? html`<details class="spoiler"><summary>${words.spoiler}</summary>${text}</details>` : text}
${votes && html`<p class="quiet">${words.helpful({ likes: String(review.like_count), dislikes: String(review.dislike_count) })}</p>`}</div></article>`
  })}</div>`
}
