import { scoreMark } from '../components/format-number.ts'
import { relativeTimeElement } from '../../ui/format-time.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { Author, UserReview } from '../../ratings/reviews/queries.ts'
import { entryPath, reviewPath } from '../components/entry-path.ts'
import { userLink } from '../entry/reviews/reviews-view.ts'
import { userText } from '../entry/texts.ts'
import { workTitles } from '../library/library-view.ts'
import { statusLabels } from '../library/rating/quick-rating.ts'
import { picture } from '../pictures/picture.ts'

/**
 * Renders reviews, each under the title of its work, with its author if the reviews are by several users. Spoilers are
 * collapsed.
 */
export function userReviewsView(
  context: PageContext,
  reviews: readonly (UserReview & { author?: Author })[],
): Html {
  const { messages } = context
  const { entry: texts } = messages
  return html`<div class="reader-reviews tiles">${reviews.map((review) => {
    const { id, kind, work_id: workId, work, author, rate, status, created_at: written } = review
    const [main] = workTitles(context, work)
    const title = main?.text ?? `${messages.kinds[kind]} ${workId}`
    const text = userText(review.rate_content)
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
    return html`<article class="review" id="review-${id}"><a class="own-cover" href="${entryPath(kind, workId)}" tabindex="-1" aria-hidden="true">${cover}</a>
<div><header class="cluster"><h3><a href="${entryPath(kind, workId)}"${main?.lang !== undefined && html` lang="${main.lang}"`}>${title}</a></h3><p class="quiet">${author && html`${userLink(context, author)} · `}${
      rate !== null && html`${scoreMark(messages, rate)} `
    }${status !== null && html`${statusLabels(messages, kind)[status]} · `}<a href="${reviewPath(kind, workId, id)}">${relativeTimeElement(context, written, context.site?.now() ?? Date.now())}</a></p></header>
${review.is_spoiler ? html`<details class="spoiler"><summary>${texts.spoiler}</summary>${text}</details>` : text}
${votes && html`<p class="quiet">${texts.helpful({ likes: String(review.like_count), dislikes: String(review.dislike_count) })}</p>`}</div></article>`
  })}</div>`
}
