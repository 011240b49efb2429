import type { PageContext } from '../../ui/page/page-context.ts'
import { profilePath, type PublishedProfile } from '../../profiles/queries.ts'
import type { TimelineEntry } from '../../profiles/timeline-queries.ts'
import type { UserReview } from '../../ratings/reviews/queries.ts'
import { atomFeed } from '../atom-feed.ts'
import { formatScore } from '../components/format-number.ts'
import { entryPath, reviewPath } from '../components/entry-path.ts'
import { workTitles } from '../library/library-view.ts'
import { statusLabels } from '../library/rating/quick-rating.ts'

/** Feed of a profile. Entry IDs contain the account ID, so they survive renaming. */
type ProfileFeed = {
  /** File name, such as `reviews.xml`. */
  name: string
  title: string
  /** Page of the profile with the same content, such as `/reviews`. */
  page: string
  entries: Parameters<typeof atomFeed>[0]['entries']
}

function profileFeed(
  { origin, language, siteName }: PageContext,
  profile: PublishedProfile,
  { name, title, page, entries }: ProfileFeed,
): string {
  const uri = origin + profilePath(profile)
  return atomFeed({
    id: feedId(origin, profile, name),
    language,
    title: `${title} · ${siteName}`,
    self: `${uri}/${name}`,
    page: uri + page,
    author: { name: profile.display_name, uri },
    entries,
  })
}

const feedId = (origin: string, { account_id: id }: PublishedProfile, name: string) =>
  `${origin}/u/${id}/${name}`

type Subject = Pick<UserReview, 'kind' | 'work_id' | 'work' | 'rate'>

/** Joins the title of a work, its status and its score. */
function headline(context: PageContext, { kind, work_id: id, work, rate }: Subject, fact?: string) {
  const [main] = workTitles(context, work)
  const title = main?.text ?? `${context.messages.kinds[kind]} ${id}`
  return [title, fact, rate === null ? undefined : `★ ${formatScore(rate)}`]
    .filter((part) => part !== undefined)
    .join(' · ')
}

/** Renders a user's reviews as a feed. */
export function reviewsFeed(
  context: PageContext,
  profile: PublishedProfile,
  reviews: UserReview[],
): string {
  const { origin, messages } = context
  const { profilePage: texts } = messages
  const name = 'reviews.xml'
  const entries = reviews.map((review) => ({
    id: `${feedId(origin, profile, name)}#review-${review.id}`,
    title: headline(context, review),
    link: origin + reviewPath(review.kind, review.work_id, review.id),
    related: origin + entryPath(review.kind, review.work_id),
    published: review.created_at,
    updated: review.updated_at,
    category: review.kind,
    content: review.is_spoiler ? texts.spoilerInFeed : review.rate_content,
  }))
  const title = texts.titles.reviews({ name: profile.display_name })
  return profileFeed(context, profile, { name, title, page: '/reviews', entries })
}

/** Renders a user's public activity as a feed, one entry per rating. */
export function activityFeed(
  context: PageContext,
  profile: PublishedProfile,
  activity: TimelineEntry[],
): string {
  const { origin, messages } = context
  const { profilePage: texts } = messages
  const name = 'activity.xml'
  const entries = activity.map((entry) => {
    const { kind, status, review } = entry
    const fact = status === null ? undefined : statusLabels(messages, kind)[status]
    return {
      id: `${feedId(origin, profile, name)}#rating-${entry.id}`,
      title: headline(context, entry, fact),
      link: origin + entryPath(kind, entry.work_id),
      updated: entry.updated_at,
      category: kind,
      ...(review !== null && { content: entry.is_spoiler ? texts.spoilerInFeed : review }),
    }
  })
  const title = activityTitle(context, profile)
  return profileFeed(context, profile, { name, title, page: '', entries })
}

export const activityTitle = (
  { messages }: PageContext,
  { display_name: name }: PublishedProfile,
) => `${name} · ${messages.profilePage.lately}`
