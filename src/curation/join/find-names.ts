import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { createTemporaryTable } from '../../db/temporary-table.ts'
import type { Source } from '../../sources/records/record.ts'
import { areNear, haveAuthorInCommon } from './contradictions.ts'
import { addPairs } from './pairs.ts'

/**
 * Adds pairs of novels with the same title. Two novels are the same if author and first date also agree and no other
 * novel matches equally well.
 */
export async function findNovelsByTitle(trx: Database, source: Source): Promise<void> {
  await addPairs(trx, 'title-author-date')`
    with titled as (
      select
        one.external_id, other.source as other_source, other.external_id as other_external_id,
        named.exact = namesake.exact as same_characters,
        ${areNear} as in_time,
        ${haveAuthorInCommon} as same_author
      from record_names named
      join record_names namesake
        on namesake.kind = named.kind and namesake.folded = named.folded and namesake.source <> named.source
      join source_records one
        on one.source = named.source and one.kind = named.kind and one.external_id = named.external_id
      join source_records other
        on other.source = namesake.source and other.kind = namesake.kind and other.external_id = namesake.external_id
      where named.kind = 'light_novel' and named.source = ${source}
    )
    select
      'light_novel' as kind, ${source} as source, external_id, other_source, other_external_id,
      coalesce(in_time and same_author and same_characters, false)
        and count(*) filter (where in_time is not false and same_author) over (partition by external_id, other_source) = 1
        and count(*) filter (where in_time is not false and same_author) over (partition by other_source, other_external_id) = 1
        as certain,
      jsonb_strip_nulls(jsonb_build_object('same_author', same_author, 'in_time', in_time)) as evidence
    from titled`
}

/**
 * Adds pairs of people, producers and characters from `shared_credits`. Two of them with the same name and compatible
 * roles in one work are the same, unless that work or another shared work has another candidate. One-word names need
 * identical roles: a singer and a voice actor may both be called Yuki.
 */
export async function findNamesInWorks(trx: Database, source: Source): Promise<void> {
  await createTemporaryTable(trx, 'credited_names')`
    select
      credit.work_kind, credit.work_id, credit.source, credit.kind, credit.ref, credit."group",
      name.folded, name.exact, credit.kind = 'person' and name.is_one_word as is_one_word,
      min(credit.ref) over bearers <> max(credit.ref) over bearers as is_shared
    from shared_credits credit
    join record_names name
      on name.source = credit.source and name.kind = credit.kind and name.external_id = credit.ref
    window bearers as (partition by credit.work_kind, credit.work_id, credit.kind, credit.source, name.folded)`
  await addPairs(trx, 'name-in-work')`
    with found as (
      select
        one.kind, one.source, one.ref as external_id, other.source as other_source, other.ref as other_external_id,
        count(distinct (one.work_kind, one.work_id)) as works,
        min(one.work_kind || ' ' || one.work_id) as work,
        coalesce(bool_or(case
          when one.is_one_word and other.is_one_word then one."group" = other."group"
          else
            one."group" is null
            or other."group" is null
            or split_part(one."group", ' ', 1) = split_part(other."group", ' ', 1)
        end), false) as roles_agree,
        bool_and(one.exact = other.exact) as same_characters,
        not bool_or(one.is_shared or other.is_shared) as alone
      from credited_names one
      join credited_names other
        on other.work_kind = one.work_kind
        and other.work_id = one.work_id
        and other.kind = one.kind
        and other.folded = one.folded
        and other.source <> one.source
      where one.source = ${source}
      group by one.kind, one.source, one.ref, other.source, other.ref
    )
    select
      kind, source, external_id, other_source, other_external_id,
      roles_agree
        and same_characters
        and count(*) over (partition by kind, source, external_id, other_source) = 1
        and count(*) over (partition by kind, other_source, other_external_id, source) = 1 as certain,
      jsonb_strip_nulls(jsonb_build_object(
        'works', works, 'work', work, 'roles_agree', roles_agree, 'alone', alone,
        'same_characters', case when not same_characters then false end
      )) as evidence
    from found`
}

/**
 * Adds pairs for review: galgames with the same title, and people and producers whose name is unique in each source.
 */
export async function findNamesakes(trx: Database, source: Source): Promise<void> {
  for (const [rule, kinds] of [
    ['same-title', ['galgame']],
    ['same-name', ['person', 'producer']],
  ] as const) {
    await createTemporaryTable(trx, 'unique_names')`
      with candidates as materialized (
        select distinct named.kind, named.folded
        from record_names named
        join source_records one
          on one.source = named.source and one.kind = named.kind and one.external_id = named.external_id
        join changed_entries changed on changed.kind = one.kind and changed.entry_id = one.entry_id
        where named.source = ${source}
          and named.kind in (${sql.join(kinds.map((kind) => sql.lit(kind)))})
          and length(named.folded) > 1
      )
      select kind, folded, source, min(external_id) as external_id
      from record_names
      join candidates using (kind, folded)
      group by kind, folded, source
      having count(*) = 1`
    await addPairs(trx, rule)`
      select
        one.kind, one.source, one.external_id, other.source as other_source, other.external_id as other_external_id,
        false as certain, '{}'::jsonb as evidence
      from unique_names one
      join unique_names other using (kind, folded)
      where one.source = ${source} and other.source <> one.source`
  }
}
