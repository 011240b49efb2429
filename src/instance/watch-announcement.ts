import type { Database } from '../db/database.ts'
import type { DatabaseClock } from '../db/upkeep/database-clock.ts'
import type { Signals } from '../db/upkeep/signals.ts'
import type { Announcement } from '../ui/page/site.ts'
import { findAnnouncement } from './announcement-queries.ts'

/** Caches the announcement and reloads it when an operator changes it. */
export async function watchAnnouncement(
  db: Database,
  signals: Signals,
  clock: Pick<DatabaseClock, 'now'>,
): Promise<() => Announcement | undefined> {
  let announcement: Announcement | undefined
  async function read() {
    announcement = await findAnnouncement(db)
  }
  signals.on('announcements', read)
  await read()
  return () =>
    announcement?.endsAt && announcement.endsAt.getTime() <= clock.now() ? undefined : announcement
}
