import { sql, type RawBuilder } from 'kysely'
import type { Source } from '../../sources/records/record.ts'

/** SQL for the ids that identify the same thing according to the record in `staged`. */
export const statedIds = sql`jsonb_to_recordset(staged.same_as) as stated(source text, external_id text)`

/** SQL condition: the record in `staged` no longer states the row `kept` of `source_same_as`. */
export const isNoLongerStated = (source: Source): RawBuilder<boolean> => sql`
  kept.source = ${source}
  and kept.kind = staged.kind
  and kept.external_id = staged.external_id
  and not exists (
    select from ${statedIds} where stated.source = kept.other_source and stated.external_id = kept.other_external_id
  )`

/** SQL condition: the record in `staged` differs from `known`, the row of `source_records` with the same id. */
export const stagedDiffers = (source: Source): RawBuilder<boolean> => sql`(
  known.fields <> staged.fields
  or known.links <> staged.links
  or exists (select from source_same_as kept where ${isNoLongerStated(source)})
  or exists (
    select from ${statedIds}
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
