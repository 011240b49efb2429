import type { WorkKind } from '../../catalog/kinds.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import { isPublicReview } from '../reviews/queries.ts'

/** Maximum number of a work's reviews that are read for its keywords, newest first. */
const MAX_REVIEWS = 200
/** Maximum number of characters read from one review. */
const MAX_REVIEW_CHARACTERS = 1_000

// Must match the order of the index reviews_newest exactly.
const NEWEST = `
  select rating.id, rating.updated_at, rating.rate_content, rating.is_spoiler
  from ratings rating
  where rating.work_id = $1 and ${isPublicReview('rating')}
  order by rating.created_at desc, rating.id desc
  limit ${MAX_REVIEWS}`

const VERSION = statement('ratings.version').returning<{ version: string }>(`
  select (
    select md5(coalesce(string_agg(review.id || ' ' || extract(epoch from review.updated_at), ',' order by review.id), ''))
    from (${NEWEST}) review
  ) as version
  from shown_works work
  where work.id = $1 and work.kind = $2`)

/**
 * Version that changes when a review that contributes keywords is added, changed or removed; undefined for an unknown
 * work.
 */
export async function findReviewsVersion(
  db: Reads,
  kind: WorkKind,
  workId: number,
): Promise<string | undefined> {
  return (await queryRow(db, VERSION, [workId, kind]))?.version
}

const TEXTS = statement('ratings.texts').returning<{ text: string }>(`
  select left(review.rate_content, ${MAX_REVIEW_CHARACTERS}) as text
  from (${NEWEST}) review
  where not review.is_spoiler`)

/**
 * Returns the beginnings of the newest public reviews. Reviews with spoilers are excluded, because their words are
 * spoilers too.
 */
export async function listReviewTexts(db: Reads, workId: number): Promise<string[]> {
  return (await queryRows(db, TEXTS, [workId])).map(({ text }) => text)
}
