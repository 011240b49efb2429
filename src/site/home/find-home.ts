import { findFirstEntries } from '../../browse/lists/list-page.ts'
import type { EntrySummary } from '../../browse/summary.ts'
import { WORK_KINDS } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import type { PageReader } from '../../ui/page/site.ts'
import { listInProgressWorks } from '../../ratings/totals/in-progress-queries.ts'
import { listPlannedWorks } from '../../ratings/own/lists/planned-queries.ts'

/** The rows of the home page. */
export type HomeData = {
  newest: EntrySummary[]
  best: EntrySummary[]
  read: EntrySummary[]
  /** Of a reader: what they plan. */
  next: EntrySummary[]
}

/** Of each row: two on a phone, one on a wide screen. */
const LENGTH = 8

/** What home shows to a reader, or to guests. */
export async function findHome(db: Database, reader: PageReader | undefined): Promise<HomeData> {
  const seesNsfw = reader?.nsfw ?? false
  const first = { kinds: WORK_KINDS, limit: LENGTH, seesNsfw }
  const today = new Date().toISOString().slice(0, 10)
  const [newest, best, read, next] = await Promise.all([
    findFirstEntries(db, { ...first, sort: 'date', until: today }),
    findFirstEntries(db, { ...first, sort: 'score' }),
    listInProgressWorks(db, seesNsfw, LENGTH),
    reader ? listPlannedWorks(db, reader.accountId, seesNsfw, LENGTH) : [],
  ])
  return { newest, best: best.filter(({ score }) => score !== null), read, next }
}
