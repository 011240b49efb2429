import { recordEvent, type Origin } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import { queryRow } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { TableRow } from '../db/tables.ts'
import { inTransaction } from '../db/transaction.ts'
import { LANGUAGES, type Language } from '../i18n/languages.ts'
import { sanitizeNote } from '../moderation/reasons.ts'
import type { Announcement } from '../ui/page/site.ts'

/** Maximum length of an announcement in each language, in characters. */
export const MAX_ANNOUNCEMENT = 300

export type AnnouncementTexts = Partial<Record<Language, string>>

/** Only the newest one counts: when it ends, no earlier one appears again. */
const FIND_ANNOUNCEMENT = statement('instance.find_announcement').returning<
  Pick<TableRow<'announcements'>, 'id' | 'texts' | 'ends_at'>
>(`
  select id, texts, ends_at from announcements
  where id = (select max(id) from announcements) and (ends_at is null or ends_at > now())`)

const END_ANNOUNCEMENT = statement('instance.end_announcement').returning<{ id: number }>(`
  update announcements set ends_at = now()
  where id = (select max(id) from announcements) and (ends_at is null or ends_at > now())
  returning id`)

/** Returns the announcement that pages show now. */
export async function findAnnouncement(db: Database): Promise<Announcement | undefined> {
  const row = await queryRow(db, FIND_ANNOUNCEMENT, [])
  return (
    row && { id: row.id, texts: textsIn(row.texts), ...(row.ends_at && { endsAt: row.ends_at }) }
  )
}

/** Reads stored or typed texts: one line in each language, without control characters. */
export function textsIn(values: unknown): AnnouncementTexts {
  const typed = new Map(Object.entries(Object(values)))
  return Object.fromEntries(
    LANGUAGES.flatMap((language) => {
      const value = typed.get(language)
      const text =
        typeof value === 'string' ? sanitizeNote(value).replaceAll(/\s+/g, ' ').trim() : ''
      return text === '' ? [] : [[language, text]]
    }),
  )
}

/** Shows an announcement instead of the present one. Texts must have come from `textsIn`. */
export async function announce(
  db: Database,
  { texts, endsAt }: { texts: AnnouncementTexts; endsAt: Date | undefined },
  origin: Origin = {},
): Promise<void> {
  await inTransaction(db, async (trx) => {
    await trx
      .insertInto('announcements')
      .values({ texts: JSON.stringify(texts), ends_at: endsAt ?? null })
      .execute()
    const details = { ...texts, ends_at: endsAt?.toISOString() ?? null }
    await recordEvent(trx, { kind: 'announced', details, ...origin })
  })
}

/** @returns false if there is no announcement */
export const endAnnouncement = (db: Database, origin: Origin = {}): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    const ended = await queryRow(trx, END_ANNOUNCEMENT, [])
    if (!ended) return false
    await recordEvent(trx, { kind: 'announcement_ended', details: {}, ...origin })
    return true
  })
