import { sql } from 'kysely'
import type { MangaPersonRole, StaffRole } from '../../catalog/enums.ts'
import type { Database } from '../../db/database.ts'
import { createTemporaryTable } from '../../db/temporary-table.ts'
import type { Source } from '../../sources/records/record.ts'

/**
 * Coarse groups of roles that can be compared across sources, with the relations to light novels as the readers of the
 * sources name them. Sound roles are split into music, song and voice. Roles without a group (`PROGRAM`, `staff`, none)
 * are compatible with all groups.
 */
const ROLE_GROUPS: Record<string, { roles: readonly Role[]; relations: readonly string[] }> = {
  words: {
    roles: [
      'SCENARIO',
      'SERIES_COMPOSITION',
      'ORIGINAL_WORK',
      'ANIMATION_SCRIPT',
      'AUTHOR',
      'ORIGINAL_CREATOR',
      'SCRIPT',
    ],
    relations: ['author', 'original_creator', 'script', 'composition'],
  },
  pictures: {
    roles: [
      'CHARACTER_DESIGN',
      'MECHANICAL_DESIGN',
      'ART',
      'GRAPHICS',
      'CG_SUPERVISOR',
      'SD_ART',
      'BACKGROUND',
      'COVER_ART',
      'ILLUSTRATION',
    ],
    relations: ['illustrator', 'character_design'],
  },
  'sound music': { roles: ['MUSIC', 'SOUND_DIRECTOR', 'THEME_COMPOSITION'], relations: [] },
  'sound song': { roles: ['THEME_PERFORMANCE', 'INSERT_PERFORMANCE'], relations: [] },
  'sound voice': { roles: ['VOICE'], relations: ['narrator'] },
  translation: { roles: ['TRANSLATOR'], relations: ['translator'] },
  publishing: { roles: [], relations: ['publisher'] },
  label: { roles: [], relations: ['bunko'] },
  magazine: { roles: [], relations: ['magazine'] },
}
type Role = StaffRole | MangaPersonRole | 'VOICE'

const groups = sql.raw(
  `(values ${Object.entries(ROLE_GROUPS)
    .flatMap(([group, { roles, relations }]) =>
      [...roles, ...relations].map((role) => `('${role}', '${group}')`),
    )
    .join(', ')}) as grouped (role, "group")`,
)

/**
 * SQL for merged works `(kind, into_id)` whose people and characters no import of the source has compared yet. Imports
 * of other sources do not count, because each import compares only the works of its own source.
 */
const mergedSinceLastImport = (source: Source) => sql`
  select kind, into_id from entry_merges
  where undone_at is null
    and kind in ('galgame', 'light_novel', 'manga')
    and merged_at > coalesce(
      (select max(began_at) from import_runs where outcome = 'done' and source = ${source}), '-infinity'
    )`

/** Returns true if works have been merged since the last import of the source. */
export async function hasNewMerges(trx: Database, source: Source): Promise<boolean> {
  const { rows } = await sql`select from (${mergedSinceLastImport(source)}) merge limit 1`.execute(
    trx,
  )
  return rows.length > 0
}

/**
 * Creates the temporary table `shared_credits`: credits of works that several sources have and that this source or a
 * merge may have changed. This is a table instead of a CTE: without statistics, the planner compares every credit with
 * every other.
 */
export async function stageSharedCredits(trx: Database, source: Source): Promise<void> {
  await createTemporaryTable(trx, 'shared_works')`
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
          select from (${mergedSinceLastImport(source)}) merge where merge.kind = work.kind and merge.into_id = work.entry_id
        )
        or exists (
          select from (${creditsOf('work')}) credit
          join source_records target
            on target.source = work.source and target.kind = credit.target_kind and target.external_id = credit.ref
          join changed_entries changed on changed.kind = target.kind and changed.entry_id = target.entry_id
        )
      )`
  await createTemporaryTable(trx, 'shared_credits')`
    select distinct
      work.kind as work_kind, work.entry_id as work_id, record.source,
      credit.target_kind as kind, credit.ref, grouped."group", credit.credited_as
    from shared_works work
    join source_records record on record.kind = work.kind and record.entry_id = work.entry_id
    cross join lateral (${creditsOf('record')}) credit
    left join ${groups} on grouped.role = credit.role`
}

/** SQL for the credits in a record's lists, as `(target_kind, ref, role, credited_as)`. */
const creditsOf = (record: string) => {
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
