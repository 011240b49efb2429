import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../db/database.ts'
import { integerOf } from '../dump/tables/copy-text.ts'
import type { GalgameLinks } from '../records/record-links.ts'
import type { ImportReport } from '../records/record.ts'
import { streamRows } from '../dump/tables/row-streams.ts'
import { CAST_ROLES, RELATIONS } from './codes/codes.ts'
import { staffRole } from './codes/staff-roles.ts'

export type StaffRow = [ref: string, credited_as: string | null, role: string, note: string | null]
export type CastRow = [id: string, role: string | null, spoil: string | null]
export type VoiceRow = [cid: string | null, ref: string, credited_as: string | null]
export type NovelRelationRow = [vid: string, relation: string | null]

/** Each person once per role; the editions of a novel (vn_staff.eid) are not told apart. */
export function staffOf(rows: StaffRow[]): GalgameLinks['staff'] {
  const credits = rows.map(([ref, credited_as, role, note]) => ({
    ref,
    credited_as,
    role: staffRole(role, note),
  }))
  return distinctBy(credits, ({ ref, role }) => `${ref} ${role}`)
}

/**
 * The characters of a novel, the most important first, with their voices.
 *
 * A role that a reader should not know of beforehand (spoil) is left out, and the character with it where it is
 * the only one. Of several roles in several releases the greatest counts.
 */
export function castOf(appearances: CastRow[], voices: VoiceRow[]): GalgameLinks['characters'] {
  const billed = appearances
    .flatMap(([ref, role, spoil]) => {
      const known = CAST_ROLES[role ?? '']
      return ref && known && !integerOf(spoil) ? [{ ref, ...known }] : []
    })
    .toSorted((one, other) => one.billing - other.billing)
  const byCharacter = Map.groupBy(voices, ([cid]) => cid)
  return distinctBy(billed, ({ ref }) => ref).map(({ ref, role }) => {
    const actors = (byCharacter.get(ref) ?? []).map(([, person, credited_as]) => ({
      ref: person,
      credited_as,
    }))
    return { ref, role, actors: distinctBy(actors, (actor) => actor.ref) }
  })
}

/** Returns the relations of a novel to others, without those to itself. */
export function relationsOf(
  id: string,
  rows: NovelRelationRow[],
  report: ImportReport,
): GalgameLinks['relations'] {
  return rows.flatMap(([vid, relation]) => {
    if (vid === id) report.note({ code: 'relation.to_itself' }, id)
    const known = RELATIONS[relation ?? '']
    return vid && vid !== id && known ? [{ ref: vid, relation: known }] : []
  })
}

const withoutPerson = (table: string) => sql`
  select item.aid as value
  from ${sql.table(table)} item
  where not exists (select from dump_credits credit where credit.aid = item.aid)
  order by item.n`

/** Tells of what the lists above leave out, row by row of the dump. */
export async function noteLeftOut(report: ImportReport, trx: Database) {
  const note = async (
    name: string,
    query: RawBuilder<unknown>,
    tell: (value: string | null) => void,
  ) => {
    for await (const rows of streamRows<{ value: string | null }>(trx, name, query))
      for (const { value } of rows) tell(value)
  }
  await note('staff_left_out', withoutPerson('dump_vn_staff'), (aid) =>
    report.note({ code: 'credit.no_person' }, `aid ${aid}`),
  )
  await note('voices_left_out', withoutPerson('dump_vn_seiyuu'), (aid) =>
    report.note({ code: 'voice.no_person' }, `aid ${aid}`),
  )
}

/** The first item of each key, in order. */
function distinctBy<Item>(items: Item[], keyOf: (item: Item) => string): Item[] {
  return [...Map.groupBy(items, keyOf).values()].flatMap((same) => same.slice(0, 1))
}
