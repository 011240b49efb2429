import type { WorkKind } from '../../catalog/kinds.ts'
import { queryRow } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Reads } from '../../db/replicas/reads.ts'

export type RatingCounts = {
  /** `value` is a status or `NONE`, a score as text, or `REVIEW` for the field `content`. */
  counts: { field: string; value: string; amount: number }[]
  kind_scores: { total: number; sum: number }
}

const COUNTS = statement('ratings.counts').returning<RatingCounts>(`
  select
    (
      select coalesce(
        json_agg(json_build_object('field', field, 'value', value, 'amount', amount) order by field, value), '[]'
      )
      from rating_counts
      where work_id = work.id
    ) as counts,
    (select json_build_object('total', total, 'sum', sum) from kind_ratings where kind = work.kind) as kind_scores
  from shown_works work
  where work.id = $1 and work.kind = $2`)

/** @returns undefined if the work does not exist */
export const findRatingCounts = (db: Reads, kind: WorkKind, workId: number) =>
  queryRow(db, COUNTS, [workId, kind])
