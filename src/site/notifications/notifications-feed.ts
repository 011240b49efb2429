import type { Notification } from '../../notifications/queries.ts'
import type { ProfileCard } from '../../profiles/directory-queries.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { atomFeed } from '../atom-feed.ts'
import { NOTIFICATIONS_PATH, notificationWords } from './notifications-view.ts'

const DAY_MS = 86_400_000

/**
 * Renders a user's notifications as a feed. As on the page, times are days, so that they do not reveal when a user has
 * voted. Followers without a public profile are omitted, because the ID of their entry would identify them.
 */
export function notificationsFeed(
  context: PageContext,
  accountId: number,
  notifications: readonly Notification[],
  followers: ReadonlyMap<number, ProfileCard>,
): string {
  const { origin, language, siteName, messages } = context
  const id = `${origin}/feeds/${accountId}/notifications.xml`
  const page = origin + NOTIFICATIONS_PATH
  const entries = notifications.flatMap((notification) => {
    const { before, link, after } = notificationWords(context, notification, followers)
    if (!link) return []
    const { kind, at, work_id: work, subject_id: subject, detail } = notification
    // The day identifies a volume without a number.
    const volume = kind === 'volumes' ? (detail ?? at.toISOString().slice(0, 10)) : null
    const parts = [kind, subject ?? work, volume]
    return {
      id: `${id}#${parts.filter((part) => part !== null).join('-')}`,
      title: [before, link.text, after].filter((part) => part !== undefined).join(' · '),
      link: origin + link.href,
      updated: new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS),
      category: kind,
    }
  })
  const title = `${messages.notificationPage.title} · ${siteName}`
  return atomFeed({ id, language, title, page, author: { name: siteName }, entries })
}
