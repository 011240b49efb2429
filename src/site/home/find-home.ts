import { countAdultWorks } from '../../browse/lists/list-page.ts'
import { listShelves, type Shelves } from '../../browse/lists/shelf-queries.ts'
import { listWorksAddedLater } from '../../browse/public-entries-queries.ts'
import { listSummaries } from '../../browse/summary-queries.ts'
import type { EntrySummary } from '../../browse/summary.ts'
import {
  listCoverMosaics,
  listNewestCollections,
  type MosaicWork,
  type PublicCollectionRow,
} from '../../collections/public-queries.ts'
import type { Database } from '../../db/database.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import { distinctBy } from '../../kernel/distinct-by.ts'
import { listOwnShelves, type OwnShelves } from '../../ratings/own/lists/home-queries.ts'
import { BLANK_PROGRESS } from '../../ratings/progress/fields.ts'
import {
  findProgressOf,
  findVolumeTotals,
  type StoredProgress,
} from '../../ratings/progress/queries.ts'
import { listNewestReviews, type NewestReview } from '../../ratings/reviews/newest-queries.ts'
import { listInProgressWorks } from '../../ratings/totals/in-progress-queries.ts'
import type { PageViewer } from '../../ui/page/site.ts'

/** Volumes and chapters that a viewer has read of a work, and its number of volumes if the catalog knows it. */
type HomeProgress = Pick<StoredProgress, 'volumes_read' | 'chapters_read'> & {
  total: number | undefined
}

export type HomeData = {
  own: OwnShelves
  /** Progress in the works that the viewer is reading, keyed by work. */
  progress: Map<number, HomeProgress>
  /** Works that the most users are reading or playing, followed by the most popular ones. */
  trending: EntrySummary[]
  /** Works with the newest releases. */
  newest: EntrySummary[]
  /** Works most recently added to the catalog, without those of its first import. */
  added: EntrySummary[]
  best: Shelves['best']
  reviews: NewestReview[]
  collections: PublicCollectionRow[]
  mosaics: Map<number, MosaicWork[]>
  /** Number of adult works that the page leaves out. */
  hidden: number
}

/** Number of entries in a row of the page: two lines on a phone, and one on a wide screen. */
const ENTRIES_PER_ROW = 8
const MAX_REVIEWS = 6
const MAX_COLLECTIONS = 4

/** Loads the home page of a viewer. */
export async function findHome(
  db: Database,
  reads: Reads,
  viewer: PageViewer | undefined,
): Promise<HomeData> {
  const seesNsfw = viewer?.nsfw ?? false
  const limit = ENTRIES_PER_ROW
  const today = new Date().toISOString().slice(0, 10)
  const [shelves, added, going, own, reviews, collections, hidden] = await Promise.all([
    listShelves(reads, { limit, seesNsfw, today }),
    listWorksAddedLater(reads, limit).then((works) => listSummaries(reads, works, false)),
    listInProgressWorks(db, seesNsfw, limit),
    viewer ? listOwnShelves(db, viewer.accountId, seesNsfw, limit) : { going: [], planned: [] },
    listNewestReviews(db, seesNsfw, MAX_REVIEWS),
    listNewestCollections(db, seesNsfw, MAX_COLLECTIONS),
    seesNsfw ? 0 : countAdultWorks(reads),
  ])
  const [mosaics, progress] = await Promise.all([
    listCoverMosaics(
      db,
      collections.map(({ owner }) => owner.id),
      collections.map(({ id }) => id),
      seesNsfw,
    ),
    findProgress(
      db,
      viewer,
      own.going.map(({ id }) => id),
    ),
  ])
  const trending = distinctBy([...going, ...shelves.popular], ({ id }) => String(id)).slice(
    0,
    limit,
  )
  const { newest, best } = shelves
  return { own, progress, trending, newest, added, best, reviews, collections, mosaics, hidden }
}

async function findProgress(
  db: Database,
  viewer: PageViewer | undefined,
  works: number[],
): Promise<Map<number, HomeProgress>> {
  if (!viewer || works.length === 0) return new Map()
  const [stored, totals] = await Promise.all([
    findProgressOf(db, viewer.accountId, works),
    findVolumeTotals(db, works),
  ])
  return new Map(
    works.map((id) => [id, { ...(stored.get(id) ?? BLANK_PROGRESS), total: totals.get(id) }]),
  )
}

/** Returns all works on the page. */
export const worksIn = ({ own, trending, newest, added, best }: HomeData): EntrySummary[] => [
  ...own.going,
  ...own.planned,
  ...trending,
  ...newest,
  ...added,
  ...Object.values(best).flat(),
]
