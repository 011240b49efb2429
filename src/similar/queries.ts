import { entrySummarySql } from '../browse/summary.ts'
import type { QueriedResponse } from '../catalog/cache/cached-response.ts'
import type { WorkKind } from '../catalog/kinds.ts'
import type { Reads } from '../db/replicas/reads.ts'
import { queryRow } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import { MAX_SIMILAR } from './compute-queries.ts'

/**
 * Returns a row for the work `$1` of the kind `$2` with its similar works of the kinds `$3`, including nsfw works if
 * `$4`. Works deleted or merged since the computation are omitted.
 */
const SIMILAR = statement('similar.similar').returning<Omit<QueriedResponse, 'total'>>(`
  select
    work.nsfw,
    (
      select json_build_object('items', coalesce(json_agg(row_to_json(item)), '[]'))::text
      from (
        select hit.reason, ${entrySummarySql('hit', '$4::boolean')} as work
        from (
          select similar_work.id, similar_work.kind, listed.reason, listed.place
          from similar_works computed
          cross join lateral unnest(computed.similar_ids, computed.reasons)
            with ordinality listed (id, reason, place)
          join shown_works similar_work on similar_work.id = listed.id
          where computed.work_id = work.id
            and similar_work.kind = any($3::text[])
            and ($4 or not similar_work.nsfw)
            and not exists (
              select from merged_entries merged
              where merged.kind = similar_work.kind and merged.id = similar_work.id
            )
          order by listed.place
          limit ${MAX_SIMILAR}
        ) hit
        order by hit.place
      ) item
    ) as data
  from shown_works work
  where work.id = $1 and work.kind = $2`)

/** @returns undefined if the work does not exist */
export const findSimilar = (
  db: Reads,
  work: { kind: WorkKind; id: number },
  types: readonly WorkKind[],
  seesNsfw: boolean,
) => queryRow(db, SIMILAR, [work.id, work.kind, types, seesNsfw])
