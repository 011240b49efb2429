import type { FastifyInstance } from 'fastify'
import { listReleasesSince, type DatedRelease } from '../browse/calendar/queries.ts'
import { WORK_KINDS } from '../catalog/kinds.ts'
import { addDays, todayIn } from '../site/calendar/month.ts'
import { releaseName } from '../site/calendar/release-name.ts'
import { readPeriod, readReleaseKind } from '../site/calendar/routes.ts'
import { entryPath } from '../site/components/entry-path.ts'
import { PAGE, type PageRouteOptions } from '../site/options.ts'
import { sendFeed } from '../site/send-feed.ts'
import type { PageContext } from '../ui/page/page-context.ts'
import { iCalendarText, iCalendarLines } from './icalendar.ts'

/** Number of days before today, and maximum number of releases. */
const PAST_DAYS = 60
export const MAX_RELEASES = 3_000

/** Returns the first day of a calendar, `YYYY-MM-DD`. */
export const firstCalendarDay = ({ site }: PageContext) =>
  addDays(todayIn(undefined, site?.now() ?? Date.now()), -PAST_DAYS)

/**
 * Serves `/calendar.ics`: recent and announced releases, or those of a month or a day, of one kind or all (RFC 5545).
 * Adult works are left out, because calendar programs are not signed in.
 */
export async function calendarFeedRoutes(app: FastifyInstance, { reads }: PageRouteOptions) {
  app.get('/calendar.ics', PAGE, async (request, reply) => {
    const context = request.page
    const kind = readReleaseKind(request)
    const releases = await listReleasesSince(
      reads,
      { kinds: kind ? [kind] : WORK_KINDS, seesNsfw: false },
      { from: firstCalendarDay(context), ...readPeriod(request), limit: MAX_RELEASES },
    )
    const { calendar: texts, kinds } = context.messages
    const text = releaseCalendar(context, kind ? kinds[kind] : texts.title, releases)
    return sendFeed(request, reply, text, {
      headers: {
        'content-type': 'text/calendar; charset=utf-8',
        'content-disposition': `attachment; filename="${kind ?? 'releases'}.ics"`,
        'cache-control': 'public, max-age=3600',
      },
    })
  })
}

/** Renders releases as a calendar (RFC 5545). */
export function releaseCalendar(
  context: PageContext,
  title: string,
  releases: readonly DatedRelease[],
): string {
  const name = iCalendarText([context.siteName, title].join(' · '))
  return iCalendarLines([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:-//mokuroku//calendar//${context.language.toUpperCase()}`,
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `NAME:${name}`,
    `X-WR-CALNAME:${name}`,
    'REFRESH-INTERVAL;VALUE=DURATION:P1D',
    ...releases.flatMap((release) => eventOf(context, release)),
    'END:VCALENDAR',
  ])
}

/** Returns an all-day event. Its UID stays the same when the date or the titles change. */
function eventOf(context: PageContext, release: DatedRelease): string[] {
  const { kind, id, volume_id: volumeId, day, changed_at: changedAt } = release
  const { title, volume } = releaseName(context, release)
  const part = volumeId === null ? `${kind}-${id}` : `${kind}-volume-${volumeId}`
  return [
    'BEGIN:VEVENT',
    `UID:${part.replaceAll('_', '-')}@${new URL(context.origin).hostname}`,
    // The time of the last change, so that an unchanged calendar keeps its ETag.
    `DTSTAMP:${changedAt.replaceAll(/[-:]|\.\d+/g, '')}`,
    `DTSTART;VALUE=DATE:${day.replaceAll('-', '')}`,
    `SUMMARY:${iCalendarText([title.text, volume].filter(Boolean).join(' · '))}`,
    `CATEGORIES:${iCalendarText(context.messages.kinds[kind])}`,
    `URL:${context.origin}${entryPath(kind, id)}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]
}
