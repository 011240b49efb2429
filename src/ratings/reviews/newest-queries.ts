import type { EntrySummary } from '../../browse/summary.ts'
import { listSummaries } from '../../browse/summary-queries.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { excerptSql, isPublicReview, listAuthors, type Author } from './queries.ts'

/** A review with its work and its author. */
export type NewestReview = {
  id: number
  rate: number | null
  text: string
  created_at: Date
  work: EntrySummary
  author: Author
}

/** Number of reviews read for each one that is shown, because some may be of works that the viewer does not see. */
const REVIEWS_READ = 5

/** Maximum number of characters to read of each text. */
const MAX_TEXT_LENGTH = 400

const NEWEST = statement('ratings.newest_reviews').returning<{
  id: number
  account_id: number
  kind: WorkKind
  work_id: number
  rate: number | null
  text: string
  created_at: Date
}>(`
  select
    review.id, review.account_id, review.kind, review.work_id, review.rate,
    ${excerptSql('review.rate_content', MAX_TEXT_LENGTH)} as text, review.created_at
  from ratings review
  where ${isPublicReview('review')} and not review.is_spoiler
  order by review.created_at desc, review.id desc
  limit $1`)

/**
 * Lists the newest public reviews without spoilers, at most one per work. Ratings, the catalog and accounts are read
 * separately (decision 0039).
 */
export async function listNewestReviews(
  db: Database,
  seesNsfw: boolean,
  limit: number,
): Promise<NewestReview[]> {
  const rows = await queryRows(db, NEWEST, [limit * REVIEWS_READ])
  const [works, authors] = await Promise.all([
    listSummaries(
      db,
      rows.map(({ kind, work_id: id }) => ({ kind, id })),
      seesNsfw,
    ),
    listAuthors(
      db,
      rows.map(({ account_id: id }) => id),
      '',
    ),
  ])
  const free = new Map(works.flatMap((work) => (seesNsfw || !work.nsfw ? [[work.id, work]] : [])))
  return rows
    .flatMap(({ account_id: accountId, work_id: workId, id, rate, text, created_at }) => {
      const [work, author] = [free.get(workId), authors.get(accountId)]
      if (!work || !author) return []
      free.delete(workId)
      return [{ id, rate, text, created_at, work, author }]
    })
    .slice(0, limit)
}
