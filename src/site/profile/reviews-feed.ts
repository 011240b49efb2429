import type { PageContext } from '../../ui/page/page-context.ts'
import { profilePath, type PublishedProfile } from '../../profiles/queries.ts'
import type { UserReview } from '../../ratings/reviews/queries.ts'
import { formatScore } from '../components/format-number.ts'
import { entryPath } from '../components/entry-path.ts'
import { workTitles } from '../library/library-view.ts'
import { escapeXml } from '../../ui/xml.ts'

/**
 * Renders a user's reviews as a feed (RFC 4287). Its ids contain the account number, which stays
 * the same if the profile is renamed.
 */
export function reviewsFeed(
  context: PageContext,
  profile: PublishedProfile,
  reviews: UserReview[],
): string {
  const { messages, origin, language, siteName } = context
  const { profilePage: texts } = messages
  const page = `${origin}${profilePath(profile)}`
  const id = `${origin}/u/${profile.account_id}/reviews.xml`
  const entries = reviews.map((review) => {
    const { kind, work_id: workId, work, rate, created_at: written, updated_at: changed } = review
    const [main] = workTitles(context, work)
    const title = main?.text ?? `${messages.kinds[kind]} ${workId}`
    const text = review.is_spoiler ? texts.spoilerInFeed : review.rate_content
    const head = rate === null ? title : `${title} · ★ ${formatScore(rate)}`
    return `<entry><id>${id}#review-${review.id}</id><title>${escapeXml(head)}</title>
<link href="${page}/reviews#review-${review.id}"/><link rel="related" href="${origin}${entryPath(kind, workId)}"/>
<published>${written.toISOString()}</published><updated>${changed.toISOString()}</updated>
<category term="${kind}"/><content type="text">${escapeXml(text)}</content></entry>
`
  })
  const latest = Math.max(0, ...reviews.map(({ updated_at: changed }) => changed.getTime()))
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">
<id>${id}</id><title>${escapeXml(`${texts.titles.reviews({ name: profile.display_name })} · ${siteName}`)}</title>
<link rel="self" href="${page}/reviews.xml"/><link href="${page}/reviews"/>
<author><name>${escapeXml(profile.display_name)}</name><uri>${page}</uri></author><updated>${new Date(latest).toISOString()}</updated>
${entries.join('')}</feed>
`
}
