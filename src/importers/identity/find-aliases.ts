import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Source } from '../record.ts'
import { creditsOf } from './find-names.ts'
import { addPairs } from './pairs.ts'

/**
 * Adds, for somebody to look at, people and characters of one work in `shared_works` of whom one source's name is another's
 * alias, translated name or credited name: pen names are shared, and nicknames are anybody's, so that they never join.
 */
export async function findAliasesInWorks(trx: Database, source: Source): Promise<void> {
  await addPairs(
    trx,
    'alias-in-work',
    sql`
    with credits as materialized (
      select distinct
        work.kind as work_kind, work.entry_id as work_id, record.source, credit.target_kind as kind, credit.ref, credit.credited_as
      from shared_works work
      join source_records record on record.kind = work.kind and record.entry_id = work.entry_id
      cross join lateral (${creditsOf('record')}) credit
      where credit.target_kind in ('person', 'character')
    ),
    names as materialized (
      select distinct
        credits.work_kind, credits.work_id, credits.source, credits.kind, credits.ref,
        replace(fold_name(called.name), ' ', '') as folded, called.name, called.is_name
      from credits
      join source_records target
        on target.source = credits.source and target.kind = credits.kind and target.external_id = credits.ref
      cross join lateral (
        select target.fields ->> 'name' as name, true as is_name
        union all select target.fields ->> 'trans_name', false
        union all select target.fields ->> 'en_name', false
        union all select credits.credited_as, false
        union all
        select alias.value, false from jsonb_array_elements_text(coalesce(target.fields -> 'aliases', '[]')) alias
      ) called
      where called.name <> ''
    )
    select
      one.kind, one.source, one.ref as external_id, other.source as other_source, other.ref as other_external_id,
      false as certain,
      jsonb_build_object('work', min(one.work_kind || ' ' || one.work_id), 'alias', min(one.name)) as evidence
    from names one
    join names other
      on other.work_kind = one.work_kind
      and other.work_id = one.work_id
      and other.kind = one.kind
      and other.source <> one.source
      and other.folded = one.folded
    where ${source} in (one.source, other.source)
      and one.is_name <> other.is_name
      and length(one.folded) > 1
    group by one.kind, one.source, one.ref, other.source, other.ref`,
  )
}
