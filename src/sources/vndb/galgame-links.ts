import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { distinctBy } from '../../kernel/distinct-by.ts'
import { integerOf } from '../dump/tables/copy-text.ts'
import type { GalgameLinks } from '../records/record-links.ts'
import type { ImportReport } from '../records/record.ts'
import { streamRows } from '../dump/tables/row-streams.ts'
import { CAST_ROLES, RELATIONS } from './codes/codes.ts'
import { staffRole } from './codes/staff-roles.ts'

export type StaffRow = {
  ref: string
  credited_as: string | null
  role: string
  note: string | null
}
export type CastRow = { id: string; role: string | null; spoil: string | null }
export type VoiceRow = { cid: string | null; ref: string; credited_as: string | null }
export type GalgameRelationRow = { vid: string; relation: string | null }

/** Returns each person once per role. Editions of a galgame (vn_staff.eid) are merged. */
export function staffOf(rows: StaffRow[]): GalgameLinks['staff'] {
  const credits = rows.map(({ ref, credited_as, role, note }) => ({
    ref,
    credited_as,
    role: staffRole(role, note),
  }))
  return distinctBy(credits, ({ ref, role }) => `${ref} ${role}`)
}

/**
 * Returns a galgame's characters with their voice actors, most important characters first. Roles that are spoilers are
 * omitted, and so are characters without another role. If a character has different roles in different releases, the
 * most important role counts.
 */
export function castOf(appearances: CastRow[], voices: VoiceRow[]): GalgameLinks['characters'] {
  const billed = appearances
    .flatMap(({ id, role, spoil }) => {
      const known = CAST_ROLES[role ?? '']
      return id && known && !integerOf(spoil) ? [{ ref: id, ...known }] : []
    })
    .toSorted((a, b) => a.billing - b.billing)
  const byCharacter = Map.groupBy(voices, ({ cid }) => cid)
  return distinctBy(billed, ({ ref }) => ref).map(({ ref, role }) => {
    const actors = distinctBy(byCharacter.get(ref) ?? [], (voice) => voice.ref)
    return { ref, role, actors: actors.map(({ cid: _cid, ...actor }) => actor) }
  })
}

/** Returns a galgame's relations to other galgames. Relations of a galgame to itself are omitted. */
export function relationsOf(
  id: string,
  rows: GalgameRelationRow[],
  report: ImportReport,
): GalgameLinks['relations'] {
  return rows.flatMap(({ vid, relation }) => {
    if (vid === id) report.note({ code: 'relation.to_itself' }, id)
    const known = RELATIONS[relation ?? '']
    return vid && vid !== id && known ? [{ ref: vid, relation: known }] : []
  })
}

/** Reports credits and voices whose alias does not belong to any person, in the order of the dump. */
export async function reportUnknownStaff(report: ImportReport, trx: Database) {
  for (const [table, code] of [
    ['vn_staff', 'credit.no_person'],
    ['vn_seiyuu', 'voice.no_person'],
  ] as const) {
    const unknown = streamRows<{ aid: string | null }>(
      trx,
      `${table}_left_out`,
      sql`
        select item.aid
        from ${sql.table(`dump_${table}`)} item
        where not exists (select from dump_credits credit where credit.aid = item.aid)
        order by item.n`,
    )
    for await (const { aid } of unknown) report.note({ code }, `aid ${aid}`)
  }
}
