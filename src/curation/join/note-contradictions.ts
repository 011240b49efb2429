import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { ImportReport, Source } from '../../sources/records/record.ts'
import { sourceRank } from '../derive/survivorship.ts'
import { contradictions } from './contradictions.ts'

/** Maximum joined records named in the remark; the others are counted. */
const MAX_NAMED = 4

/**
 * Notes the entries in which a record of this source contradicts one of another source, so that today's rules would not join
 * them. Accepted pairs are not noted: a steward has decided them.
 */
export async function noteContradictions(
  trx: Database,
  source: Source,
  report: ImportReport,
): Promise<void> {
  const { rows } = await sql<{ total: number; named: string }>`
    select
      count(*) over () as total,
      format('%s %s:%s %s (%s)',
        other.kind, other.source, other.external_id, other.entry_id, array_to_string(against.facts, ', ')) as named
    from source_records one
    join source_records other
      on other.kind = one.kind and other.entry_id = one.entry_id
      and ${sourceRank('one.source')} < ${sourceRank('other.source')}
    left join record_names one_name
      on one_name.kind = one.kind and one_name.source = one.source and one_name.external_id = one.external_id
    left join record_names other_name
      on other_name.kind = other.kind and other_name.source = other.source and other_name.external_id = other.external_id
    cross join lateral (select coalesce(${contradictions}, '{}') as facts) against
    where ${source} in (one.source, other.source)
      and not is_local_edit(one)
      and cardinality(against.facts) > 0
      and not exists (
        select from matches
        where matches.state = 'accepted' and matches.kind = one.kind
          and (matches.source, matches.external_id, matches.other_source, matches.other_external_id)
            = (one.source, one.external_id, other.source, other.external_id)
      )
    order by other.kind, other.entry_id, other.source, other.external_id
    limit ${MAX_NAMED}`.execute(trx)
  const named = rows.map((row) => row.named).join(', ')
  for (let entry = 0; entry < (rows[0]?.total ?? 0); entry += 1)
    report.note({ code: 'match.contradiction' }, named)
}
