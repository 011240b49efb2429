import { countAdultWorks, findFirstEntries } from '../../browse/lists/list-page.ts'
import type { EntrySummary } from '../../browse/summary.ts'
import { WORK_KINDS } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import type { PageViewer } from '../../ui/page/site.ts'
import { listInProgressWorks } from '../../ratings/totals/in-progress-queries.ts'
import { listPlannedWorks } from '../../ratings/own/lists/planned-queries.ts'

export type HomeData = {
  newest: EntrySummary[]
  best: EntrySummary[]
  read: EntrySummary[]
  /** Works the viewer plans to read or play. */
  next: EntrySummary[]
  /** Number of adult works that the page leaves out. */
  hidden: number
}

/** Number of entries in a row of the page: two lines on a phone, and one on a wide screen. */
const ENTRIES_PER_ROW = 8

/** Loads the home page of a viewer. */
export async function findHome(
  db: Database,
  reads: Reads,
  viewer: PageViewer | undefined,
): Promise<HomeData> {
  const seesNsfw = viewer?.nsfw ?? false
  const first = { kinds: WORK_KINDS, limit: ENTRIES_PER_ROW, seesNsfw }
  const today = new Date().toISOString().slice(0, 10)
  const [newest, best, read, next, hidden] = await Promise.all([
    findFirstEntries(reads, { ...first, sort: 'date', until: today }),
    findFirstEntries(reads, { ...first, sort: 'score' }),
    listInProgressWorks(db, seesNsfw, ENTRIES_PER_ROW),
    viewer ? listPlannedWorks(db, viewer.accountId, seesNsfw, ENTRIES_PER_ROW) : [],
    seesNsfw ? 0 : countAdultWorks(reads),
  ])
  return { newest, best: best.filter(({ score }) => score !== null), read, next, hidden }
}
