import { recordOf } from '../../kernel/typed-records.ts'
import {
  isWorkKind,
  KINDS,
  WORK_KINDS,
  type EntryKind,
  type WorkKind,
} from '../../catalog/kinds.ts'
import { characterRef, voiceActorsSql } from '../../catalog/sql-fragments.ts'
import type { QueriedResponse } from '../../catalog/cache/cached-response.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import { offsetAndLimit, pageJson, type Page } from '../../http/wire/requests/paging.ts'
import { entrySummarySql } from '../summary.ts'

/** Kinds of entries that are credited in works. */
export type LinkedKind = Exclude<EntryKind, WorkKind>

/** Link between a kind of entry and a kind of work. */
type Link = {
  /** Linking table, and kind of work. The kind's name is also the prefix of the table's work column. */
  table: string
  work: WorkKind
  /** SQL for the role in upper case, read from `credit`. */
  role: string
  /** SQL for the role's other fields. All links of a kind have the same fields; missing values are null. */
  fields: Record<string, string>
  /** Additional joins that the fields need. */
  join?: string
  /** SQL for the position among the roles in a work. Defaults to the position of the credit. */
  position?: string
}

const upperRelation = 'upper(credit.relation)'
const note = `coalesce(credit.note, '')`
const noActors = { actors: `'[]'::json` }

/** Links of each kind. The roles in a work are listed in this order. */
const LINKS: Record<LinkedKind, Link[]> = {
  person: [
    {
      table: 'galgame_staff',
      work: 'galgame',
      role: 'credit.role',
      fields: { credited_as: 'credit.credited_as', note: `''`, character: 'null::json' },
    },
    {
      table: 'galgame_character_actors',
      work: 'galgame',
      role: `'VOICE'`,
      fields: { credited_as: 'credit.credited_as', note: `''`, character: characterRef },
      join: `join characters character on character.id = credit.character_id
        left join galgame_characters appearance
          on appearance.galgame_id = credit.galgame_id and appearance.character_id = credit.character_id`,
      position: 'coalesce(appearance.position, 1000000 + credit.character_id)',
    },
    {
      table: 'light_novel_people',
      work: 'light_novel',
      role: upperRelation,
      fields: { credited_as: 'null::text', note, character: 'null::json' },
    },
    {
      table: 'manga_people',
      work: 'manga',
      role: 'credit.role',
      fields: { credited_as: 'null::text', note, character: 'null::json' },
    },
  ],
  producer: [
    { table: 'galgame_producers', work: 'galgame', role: 'credit.role', fields: { note } },
    { table: 'light_novel_producers', work: 'light_novel', role: upperRelation, fields: { note } },
    { table: 'manga_producers', work: 'manga', role: 'credit.role', fields: { note } },
  ],
  character: [
    {
      table: 'galgame_characters',
      work: 'galgame',
      role: 'credit.role',
      fields: { actors: voiceActorsSql },
    },
    { table: 'light_novel_characters', work: 'light_novel', role: 'credit.role', fields: noActors },
    { table: 'manga_characters', work: 'manga', role: 'credit.role', fields: noActors },
  ],
}

/** SQL for the ids of the works that credit an entry, as rows `work_id`. */
export const creditedWorksSql = (kind: LinkedKind, entryId: string) =>
  LINKS[kind]
    .map(
      ({ table, work }) =>
        `select credit.${work}_id as work_id from ${table} credit where credit.${kind}_id = ${entryId}`,
    )
    .join(' union ')

/** SQL for the credits of an entry, as rows `kind`, `work_id` and `role`. */
export const creditsSql = (kind: LinkedKind, entryId: string) =>
  LINKS[kind]
    .map(
      ({ table, work, role }) =>
        `select '${work}' as kind, credit.${work}_id as work_id, ${role} as role from ${table} credit where credit.${kind}_id = ${entryId}`,
    )
    .join(' union all ')

/**
 * SQL for the ids of the entries that have a role in a work, which may repeat.
 *
 * @param role SQL for the role in upper case
 * @param seesNsfw SQL for whether the caller sees nsfw works
 */
export const idsWithRoleSql = (kind: LinkedKind, role: string, seesNsfw: string) =>
  LINKS[kind]
    .map(
      (link) =>
        `select credit.${kind}_id from ${link.table} credit join works work on work.id = credit.${link.work}_id where ${link.role} = ${role} and (${seesNsfw} or not work.nsfw)`,
    )
    .join(' union all ')

/** SQL for all roles of the entry `$1` in a work of `works_of`, as JSON. */
function rolesSql(kind: LinkedKind) {
  const selects = LINKS[kind].map(
    ({ table, work, role, fields, join = '', position = 'credit.position' }, index) => {
      const columns = Object.entries(fields).map(([name, value]) => `, ${value} as ${name}`)
      return `
      select ${index} as place, ${position} as position, ${role} as role ${columns.join('')}
      from ${table} credit ${join}
      where credit.${work}_id = works_of.id and credit.${kind}_id = $1`
    },
  )
  const names = ['role', ...Object.keys(LINKS[kind][0]?.fields ?? {})]
  const object = names.map((name) => `'${name}', part.${name}`).join(', ')
  return `
    select coalesce(json_agg(json_build_object(${object}) order by part.place, part.position, part.role), '[]')
    from (${selects.join(' union all ')}) part`
}

/** Newest first, works without a date last. */
const ORDER = 'works_of.day desc nulls last, works_of.id desc'

/**
 * Builds a statement that returns one row `{total, items}`, or none if the entry `$1` does not exist. The works are
 * limited to the kinds `$2` and the roles `$3` (null for any). Nsfw works require `$4`, and `$5` and `$6` are
 * offset and limit.
 */
function worksStatement(kind: LinkedKind) {
  const parts = LINKS[kind].map(
    ({ table, work, role }) =>
      `select credit.${work}_id as work_id from ${table} credit
       where credit.${kind}_id = $1 and ($3::text[] is null or ${role} = any($3))`,
  )
  return statement(`browse.works_of_${kind}`).returning<{ total: number; items: string }>(`
  with works_of as materialized (
    select
      work.id,
      work.kind,
      coalesce(galgame.release_date, novel.publication_date, manga.publication_date) as day
    from (${parts.join(' union ')}) linked
    join works work on work.id = linked.work_id
    left join galgames galgame on galgame.id = work.id
    left join light_novels novel on novel.id = work.id
    left join mangas manga on manga.id = work.id
    where ($2::text[] is null or work.kind = any($2)) and ($4::boolean or not work.nsfw)
  )
  select
    (select count(*) from works_of) as total,
    (
      select coalesce(json_agg(row_to_json(item)), '[]')::text
      from (
        select ${entrySummarySql('works_of', '$4', WORK_KINDS)} as work, (${rolesSql(kind)}) as roles
        from (select * from works_of order by ${ORDER} offset $5 limit $6) works_of
        order by ${ORDER}
      ) item
    ) as items
  from ${KINDS[kind].table} entry
  where entry.id = $1`)
}

export const LINKED_KINDS = ['person', 'producer', 'character'] as const
/** True for people, producers and characters. */
export const isLinkedKind = (kind: EntryKind): kind is LinkedKind => !isWorkKind(kind)

const STATEMENTS = recordOf(LINKED_KINDS, worksStatement)

export type WorksFilter = {
  types: WorkKind[] | undefined
  /** Roles in upper case. */
  roles: string[] | undefined
  seesNsfw: boolean
}

/** Finds a page of an entry's works, newest first. Returns undefined if the entry does not exist. */
export async function findWorksOf(
  db: Reads,
  kind: LinkedKind,
  id: number,
  { types, roles, seesNsfw }: WorksFilter,
  page: Page,
): Promise<QueriedResponse | undefined> {
  const { offset, limit } = offsetAndLimit(page)
  const [found] = await queryRows(db, STATEMENTS[kind], [
    id,
    types ?? null,
    roles ?? null,
    seesNsfw,
    offset,
    limit,
  ])
  if (!found) return undefined
  // `items` is already serialized, so its length is derived from the total.
  const itemCount = Math.max(0, Math.min(page.pageSize, found.total - offset))
  return { nsfw: false, data: pageJson(found.items, itemCount, page, found.total) }
}
