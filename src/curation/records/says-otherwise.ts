import { sql, type RawBuilder } from 'kysely'
import type { Source } from '../../sources/records/record.ts'

/** SQL: what the record of `staged` is elsewhere. */
export const stated = sql`jsonb_to_recordset(staged.same_as) as stated(source text, external_id text)`

/** SQL: whether the record of `staged` does not state any more what is in the row `kept` of `source_same_as`. */
export const isStatedNoMore = (source: Source): RawBuilder<boolean> => sql`
  kept.source = ${source}
  and kept.kind = staged.kind
  and kept.external_id = staged.external_id
  and not exists (
    select from ${stated} where stated.source = kept.other_source and stated.external_id = kept.other_external_id
  )`

/** SQL: whether the record of `staged` says something else than `known`, that of `source_records` with its id. */
export const saysOtherwise = (source: Source): RawBuilder<boolean> => sql`(
  known.fields <> staged.fields
  or known.links <> staged.links
  or exists (select from source_same_as kept where ${isStatedNoMore(source)})
  or exists (
    select from ${stated}
    where not exists (
      select from source_same_as kept
      where kept.source = ${source}
        and kept.kind = staged.kind
        and kept.external_id = staged.external_id
        and kept.other_source = stated.source
        and kept.other_external_id = stated.external_id
    )
  )
)`
