import { entrySummarySql } from '../browse/summary.ts'
import type { QueriedResponse } from '../catalog/cache/cached-response.ts'
import { WORK_KINDS, type WorkKind } from '../catalog/kinds.ts'
import type { Reads } from '../db/replicas/reads.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { forAnyValue } from '../db/generic-plan.ts'
import { statement } from '../db/statement.ts'
import { personRef, producerRef } from '../catalog/sql-fragments.ts'
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
        select hit.reason, ${entrySummarySql('hit', forAnyValue('$4::boolean'), WORK_KINDS)} as work
        from (
          select similar_work.id, similar_work.kind, listed.reason, listed.place
          from similar_works computed
          cross join lateral unnest(computed.similar_ids, computed.reasons)
            with ordinality listed (id, reason, place)
          join shown_works similar_work on similar_work.id = listed.id
          where computed.work_id = work.id
            and similar_work.kind = any(${forAnyValue('$3::text[]')})
            and (${forAnyValue('$4::boolean')} or not similar_work.nsfw)
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

/** Name of a person or producer, with its translations. */
type CommonName = { name: string; trans_name: string | null } & Partial<
  Record<'en_title' | 'romaji_title' | 'ko_title', string | null>
>

/** Tags and makers that a work shares with a similar one. Null unless the reason names them. */
export type CommonTraits = {
  id: number
  /** Names of tags, those of the fewest works first. */
  tags: string[] | null
  /** People or producers. */
  makers: CommonName[] | null
}

/** Maximum number of people or producers in common that are named. */
const MAX_MAKERS = 3

/** SQL for the people or producers of the work `$1` that a hit has too. */
const makersSql = (name: string, table: string, reference: string) => `(
      select json_agg(${reference} order by ${name}.id)
      from (
        select distinct own.ref
        from work_links own
        join work_links theirs on theirs.class = own.class and theirs.ref = own.ref
        where own.work_id = $1 and theirs.work_id = hit.id and own.class = '${name}'
        order by own.ref
        limit ${MAX_MAKERS}
      ) common
      join ${table} ${name} on ${name}.id = common.ref
    )`

const COMMON = statement('similar.common').returning<CommonTraits>(`
  select
    hit.id,
    case when hit.reason = 'TAGS' then (
      select json_agg(tag.name order by counted.works, tag.id)
      from work_profiles own
      join work_profiles theirs on theirs.work_id = hit.id
      cross join lateral unnest(own.tags) shared (tag_id)
      join tags tag on tag.id = shared.tag_id
      left join tag_counts counted on counted.tag_id = tag.id
      where own.work_id = $1 and shared.tag_id = any(theirs.tags)
    ) end as tags,
    case hit.reason
      when 'STAFF' then ${makersSql('person', 'people', personRef)}
      when 'PRODUCER' then ${makersSql('producer', 'producers', producerRef)}
    end as makers
  from unnest(${forAnyValue('$2::bigint[]')}, ${forAnyValue('$3::text[]')}) hit (id, reason)`)

/** Lists what the work with an id has in common with similar works. */
export const listCommonTraits = (
  db: Reads,
  id: number,
  similar: readonly { reason: string; work: { id: number } }[],
): Promise<CommonTraits[]> =>
  queryRows(db, COMMON, [
    id,
    similar.map(({ work }) => work.id),
    similar.map(({ reason }) => reason),
  ])
