import type { FastifyInstance } from 'fastify'
import { findFeedOwner, type FeedOwner } from '../accounts/private-feeds.ts'
import { listReleasesOfList } from '../browse/calendar/queries.ts'
import { WORK_KINDS } from '../catalog/kinds.ts'
import { ApiError } from '../http/wire/errors/errors.ts'
import { unauthenticated } from '../http/wire/errors/refusals.ts'
import { listNotifications } from '../notifications/queries.ts'
import { notificationsFeed } from '../site/notifications/notifications-feed.ts'
import { findFollowers } from '../site/notifications/routes.ts'
import { PAGE, type PageRouteOptions } from '../site/options.ts'
import { sendFeed } from '../site/send-feed.ts'
import { messagesIn } from '../ui/messages.ts'
import type { PageContext } from '../ui/page/page-context.ts'
import { firstCalendarDay, MAX_RELEASES, releaseCalendar } from './calendar-feed.ts'

/** Headers that keep a secret address and its content out of shared caches, search engines and `Referer` headers. */
const PRIVATE_HEADERS = {
  'cache-control': 'private, no-cache',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
}

/**
 * Serves the feeds of a user's own data, whose addresses contain a secret, because calendar programs and feed readers
 * are not signed in. A wrong secret counts as a failed authentication.
 */
export async function privateFeedRoutes(
  app: FastifyInstance,
  { db, failedAuthentications }: PageRouteOptions,
) {
  function serve(
    name: string,
    type: string,
    render: (context: PageContext, owner: FeedOwner) => Promise<string>,
  ) {
    const headers = {
      ...PRIVATE_HEADERS,
      'content-type': `${type}; charset=utf-8`,
      'content-disposition': `attachment; filename="${name}"`,
    }
    app.get<{ Params: { secret: string } }>(
      `/feeds/:secret/${name}`,
      PAGE,
      async (request, reply) => {
        const owner = await findFeedOwner(db, request.params.secret)
        if (owner) {
          const text = await render(contextOf(request.page, owner), owner)
          return sendFeed(request, reply, text, { headers, isCacheable: false })
        }
        const refusal = await failedAuthentications(request, unauthenticated())
        if (refusal instanceof ApiError && refusal.status === 429) throw refusal
        // An HTML page would contain links with the secret.
        return reply
          .status(404)
          .headers({ ...PRIVATE_HEADERS, 'content-type': 'text/plain; charset=utf-8' })
          .send(request.page.messages.accountFeeds.gone)
      },
    )
  }

  serve('calendar.ics', 'text/calendar', async (context, owner) => {
    const releases = await listReleasesOfList(
      db,
      { kinds: WORK_KINDS, seesNsfw: owner.shows_nsfw },
      { from: firstCalendarDay(context), limit: MAX_RELEASES },
      owner.account_id,
    )
    return releaseCalendar(context, context.messages.accountFeeds.calendar, releases)
  })

  serve('notifications.xml', 'application/atom+xml', async (context, owner) => {
    const notifications = await listNotifications(db, owner.account_id, owner.shows_nsfw)
    const followers = await findFollowers(db, notifications)
    return notificationsFeed(context, owner.account_id, notifications, followers)
  })
}

/** Returns the context with the owner's preferences instead of those of the browser. */
function contextOf(page: PageContext, owner: FeedOwner): PageContext {
  const language = owner.language ?? page.language
  return {
    ...page,
    viewer: undefined,
    language,
    messages: messagesIn(language, page.siteName),
    titlePreference: owner.title_preference,
  }
}
