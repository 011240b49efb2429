import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Source } from '../record.ts'
import { addPairs } from './pairs.ts'
import { ROLE_GROUPS } from './role-groups.ts'

/** Two first volumes of one novel may be of different dates in two sources: a day of sale, a day of print, an e-book. */
const MAX_DAYS = 90

const groups = sql.raw(
  `(values ${Object.entries(ROLE_GROUPS)
    .map(([role, group]) => `('${role}', '${group}')`)
    .join(', ')}) as grouped (role, "group")`,
)

/** Adds the novels with one title: the same where an author and the first date agree too, and no other novel is as near. */
export async function findNovelsByTitle(trx: Database, source: Source): Promise<void> {
  await addPairs(
    trx,
    'title-author-date',
    sql`
    with titled as (
      select
        one.external_id, other.source as other_source, other.external_id as other_external_id,
        abs((one.fields ->> 'publication_date')::date - (other.fields ->> 'publication_date')::date) <= ${MAX_DAYS} as in_time,
        exists (
          select from ${authorsOf('one')} author join ${authorsOf('other')} same on same.folded = author.folded
        ) as same_author
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
      coalesce(in_time and same_author, false)
        and count(*) filter (where in_time is not false and same_author) over (partition by external_id, other_source) = 1
        and count(*) filter (where in_time is not false and same_author) over (partition by other_source, other_external_id) = 1
        as certain,
      jsonb_strip_nulls(jsonb_build_object('same_author', same_author, 'in_time', in_time)) as evidence
    from titled`,
  )
}

/** SQL: the folded names of who wrote the novel of a record. */
const authorsOf = (record: string) => sql`(
  select name.folded
  from jsonb_array_elements(coalesce(${sql.ref(`${record}.links`)} -> 'people', '[]')) item
  join record_names name
    on name.source = ${sql.ref(`${record}.source`)} and name.kind = 'person' and name.external_id = item.value ->> 'ref'
  where item.value ->> 'relation' in ('author', 'original_creator')
)`

/**
 * Adds the people, producers and characters of works that are of several sources: those with one name in one work, in roles
 * that go together, are the same, unless another in that work, or of that name in another such work, may be meant.
 */
export async function findNamesInWorks(trx: Database, source: Source): Promise<void> {
  await sql`drop table if exists shared_works`.execute(trx)
  await sql`
    create temporary table shared_works on commit drop as
    select work.kind, work.entry_id
    from source_records work
    where work.source = ${source}
      and work.kind in ('galgame', 'light_novel', 'manga')
      and exists (
        select from source_records other
        where other.kind = work.kind and other.entry_id = work.entry_id and other.source <> work.source
      )
      and (
        exists (
          select from changed_entries changed where changed.kind = work.kind and changed.entry_id = work.entry_id
        )
        or exists (
          select from (${creditsOf('work')}) credit
          join source_records target
            on target.source = work.source and target.kind = credit.target_kind and target.external_id = credit.ref
          join changed_entries changed on changed.kind = target.kind and changed.entry_id = target.entry_id
        )
      )`.execute(trx)
  await sql`analyze shared_works`.execute(trx)
  await addPairs(
    trx,
    'name-in-work',
    sql`
    with credits as materialized (
      select distinct
        work.kind as work_kind, work.entry_id as work_id, record.source, credit.target_kind as kind, credit.ref, grouped."group", name.folded
      from shared_works work
      join source_records record on record.kind = work.kind and record.entry_id = work.entry_id
      cross join lateral (${creditsOf('record')}) credit
      join record_names name
        on name.source = record.source and name.kind = credit.target_kind and name.external_id = credit.ref
      left join ${groups} on grouped.role = credit.role
    ),
    counted as materialized (
      select credits.*, bearers.count > 1 as is_shared
      from credits
      join (
        select work_kind, work_id, kind, source, folded, count(distinct ref) as count
        from credits
        group by work_kind, work_id, kind, source, folded
      ) bearers using (work_kind, work_id, kind, source, folded)
    ),
    found as (
      select
        one.kind, one.source, one.ref as external_id, other.source as other_source, other.ref as other_external_id,
        count(distinct (one.work_kind, one.work_id)) as works,
        min(one.work_kind || ' ' || one.work_id) as work,
        bool_or(one."group" is null or other."group" is null or one."group" = other."group") as roles_agree,
        not bool_or(one.is_shared or other.is_shared) as alone
      from counted one
      join counted other
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
        and alone
        and count(*) over (partition by kind, source, external_id, other_source) = 1
        and count(*) over (partition by kind, other_source, other_external_id, source) = 1 as certain,
      jsonb_build_object('works', works, 'work', work, 'roles_agree', roles_agree, 'alone', alone) as evidence
    from found`,
  )
}

/** SQL: whom the lists of a record name, as `(target_kind, ref, role, credited_as)`. */
export const creditsOf = (record: string) => {
  const items = (list: string) =>
    sql`jsonb_array_elements(coalesce(${sql.ref(`${record}.links`)} -> ${sql.lit(list)}, '[]'))`
  return sql`
    select 'person' as target_kind, item.value ->> 'ref' as ref, item.value ->> 'role' as role, item.value ->> 'credited_as' as credited_as
    from ${items('staff')} item
    union all
    select 'person', item.value ->> 'ref', coalesce(item.value ->> 'relation', item.value ->> 'role'), null from ${items('people')} item
    union all
    select 'producer', item.value ->> 'ref', coalesce(item.value ->> 'relation', item.value ->> 'role'), null from ${items('producers')} item
    union all
    select 'character', item.value ->> 'ref', null, null from ${items('characters')} item
    union all
    select 'person', actor.value ->> 'ref', 'VOICE', actor.value ->> 'credited_as'
    from ${items('characters')} item
    cross join jsonb_array_elements(coalesce(item.value -> 'actors', '[]')) actor`
}

/** Adds, for somebody to look at, galgames with one title, and people and producers who alone bear a name. */
export async function findNamesakes(trx: Database, source: Source): Promise<void> {
  for (const [rule, kinds] of [
    ['same-title', ['galgame']],
    ['same-name', ['person', 'producer']],
  ] as const)
    await addPairs(
      trx,
      rule,
      sql`
      select
        named.kind, named.source, named.external_id, namesake.source as other_source, namesake.external_id as other_external_id,
        false as certain, '{}'::jsonb as evidence
      from record_names named
      join source_records one
        on one.source = named.source and one.kind = named.kind and one.external_id = named.external_id
      join changed_entries changed on changed.kind = one.kind and changed.entry_id = one.entry_id
      join record_names namesake
        on namesake.kind = named.kind and namesake.folded = named.folded and namesake.source <> named.source
      where named.source = ${source}
        and named.kind in (${sql.join(kinds.map((kind) => sql.lit(kind)))})
        and length(named.folded) > 1
        and not exists (
          select from record_names another
          where another.kind = named.kind
            and another.folded = named.folded
            and (
              (another.source = named.source and another.external_id <> named.external_id)
              or (another.source = namesake.source and another.external_id <> namesake.external_id)
            )
        )`,
    )
}
