import type { Database } from '../../db/database.ts'
import { createTemporaryTable } from '../../db/temporary-table.ts'
import type { Source } from '../../sources/records/record.ts'
import { addPairs } from './pairs.ts'

/**
 * Adds pairs of people and characters of `shared_credits` for review if the name in one source is an alias, translated
 * name or credited name in another. Such pairs never join automatically, because pen names are shared and nicknames
 * are common.
 */
export async function findAliasesInWorks(trx: Database, source: Source): Promise<void> {
  await createTemporaryTable(trx, 'called')`
    select distinct
      credit.work_kind, credit.work_id, credit.source, credit.kind, credit.ref,
      replace(fold_name(called.name), ' ', '') as folded, called.name, called.is_name
    from shared_credits credit
    join source_records target
      on target.source = credit.source and target.kind = credit.kind and target.external_id = credit.ref
    cross join lateral (
      select target.fields ->> 'name' as name, true as is_name
      union all select target.fields ->> 'trans_name', false
      union all select target.fields ->> 'en_name', false
      union all select credit.credited_as, false
      union all
      select alias.value, false from jsonb_array_elements_text(coalesce(target.fields -> 'aliases', '[]')) alias
    ) called
    where credit.kind in ('person', 'character') and called.name <> ''`
  await addPairs(trx, 'alias-in-work')`
    select
      one.kind, one.source, one.ref as external_id, other.source as other_source, other.ref as other_external_id,
      false as certain,
      jsonb_build_object('work', min(one.work_kind || ' ' || one.work_id), 'alias', min(one.name)) as evidence
    from called one
    join called other
      on other.work_kind = one.work_kind
      and other.work_id = one.work_id
      and other.kind = one.kind
      and other.source <> one.source
      and other.folded = one.folded
    where ${source} in (one.source, other.source)
      and one.is_name <> other.is_name
      and length(one.folded) > 1
    group by one.kind, one.source, one.ref, other.source, other.ref`
}
