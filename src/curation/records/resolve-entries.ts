import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { createTemporaryTable } from '../../db/temporary-table.ts'
import type { Source } from '../../sources/records/record.ts'
import { idTableOf, RECORD_KIND_NAMES } from '../../sources/records/record-kinds.ts'

/** SQL for the next id of a kind, or null for an unknown kind, which `source_records` rejects. */
const NEXT_ID = sql.raw(
  `case kind ${RECORD_KIND_NAMES.map((kind) => `when '${kind}' then nextval((select pg_get_serial_sequence('${idTableOf(kind)}', 'id')::regclass))`).join(' ')} end`,
)

/**
 * Creates the temporary table `resolved`: the entry id of every staged record, and whether that id is new. Known
 * records keep their ids. Records from different sources are compared later, once all are stored
 * (curation/join/join-records.ts).
 */
export async function resolveEntries(trx: Database, source: Source) {
  // The table has only ids, because updating staged records would rewrite their documents.
  await createTemporaryTable(trx, 'resolved')`
    select
      staged.ordinal, staged.kind, staged.external_id,
      -- A returning record belongs to its former entry, unless an operator rejected that match.
      coalesce(known.entry_id, withdrawn.entry_id) as entry_id,
      known.entry_id is null and withdrawn.entry_id is null as is_new
    from staged
    left join source_records known
      on known.source = ${source} and known.kind = staged.kind and known.external_id = staged.external_id
    left join withdrawn_records withdrawn
      on withdrawn.source = ${source} and withdrawn.kind = staged.kind and withdrawn.external_id = staged.external_id
      and not exists (${rejectedMatches({
        kind: sql.ref('staged.kind'),
        source,
        externalId: sql.ref('staged.external_id'),
        entry: sql.ref('withdrawn.entry_id'),
      })})`
  await sql`alter table resolved add primary key (ordinal)`.execute(trx)
  // The former entry of a returning record may have been merged in the meantime.
  await sql`
    update resolved set entry_id = merged.merged_into
    from merged_entries merged
    where merged.kind = resolved.kind and merged.id = resolved.entry_id`.execute(trx)
  await sql`
    update resolved set entry_id = drawn.id
    from (
      select ordinal, ${NEXT_ID} as id
      from (select ordinal, kind from resolved where entry_id is null order by ordinal) in_order
    ) drawn
    where drawn.ordinal = resolved.ordinal`.execute(trx)
}

/** SQL for the rejected matches between a record and the records of an entry. Each part is a value or SQL. */
export const rejectedMatches = ({
  kind,
  source,
  externalId,
  entry,
}: Record<'kind' | 'source' | 'externalId' | 'entry', unknown>) => sql`
  select from matches
  join source_records member
    on member.kind = matches.kind and member.entry_id = ${entry}
    and (
      (matches.source, matches.external_id, matches.other_source, matches.other_external_id)
        = (${source}, ${externalId}, member.source, member.external_id)
      or (matches.other_source, matches.other_external_id, matches.source, matches.external_id)
        = (${source}, ${externalId}, member.source, member.external_id)
    )
  where matches.kind = ${kind} and matches.state = 'rejected'`
