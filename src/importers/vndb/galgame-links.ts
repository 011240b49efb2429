import { groupRows, integerOf, readTable } from '../copy-text.ts'
import type { DumpReading } from '../dump/reading.ts'
import type { GalgameLinks } from '../record-links.ts'
import { CAST_ROLES, RELATIONS } from './codes.ts'
import type { Credits } from './people.ts'
import { staffRole } from './staff-roles.ts'

/** The staff, cast and relations of all novels. */
export type LinkTables = {
  staff: ReadonlyMap<string, GalgameLinks['staff']>
  characters: ReadonlyMap<string, GalgameLinks['characters']>
  relations: ReadonlyMap<string, GalgameLinks['relations']>
}

export async function readLinkTables(dump: DumpReading, credits: Credits): Promise<LinkTables> {
  return {
    staff: await readNovelStaff(dump, credits),
    characters: await readCast(dump, credits),
    relations: await groupRows(
      readTable(dump, 'vn_relations', ['id', 'vid', 'relation']),
      ({ id }) => id,
      ({ vid, relation }) => {
        const known = RELATIONS[relation ?? '']
        if (!known) dump.report.note('an unknown relation is left out', String(relation))
        return vid && known ? { ref: vid, relation: known } : null
      },
    ),
  }
}

/** Each person once per role; the editions of a novel (vn_staff.eid) are not told apart. */
async function readNovelStaff(dump: DumpReading, credits: Credits): Promise<LinkTables['staff']> {
  const staff = await groupRows(
    readTable(dump, 'vn_staff', ['id', 'aid', 'role', 'note']),
    ({ id }) => id,
    ({ aid, role, note }) => {
      const person = credits.get(aid ?? '')
      if (!person) dump.report.note('a credit of nobody in the dump is left out', `aid ${aid}`)
      return person && role ? { ...person, role: staffRole(role, note) } : null
    },
  )
  return mapValues(staff, (list) => distinctBy(list, ({ ref, role }) => `${ref} ${role}`))
}

/**
 * The characters of each novel, the most important first, with their voices.
 *
 * A role that a reader should not know of beforehand (spoil) is left out, and the character with it where it is
 * the only one. Of several roles in several releases the greatest counts.
 */
async function readCast(dump: DumpReading, credits: Credits): Promise<LinkTables['characters']> {
  const voices = await groupRows(
    readTable(dump, 'vn_seiyuu', ['id', 'cid', 'aid']),
    ({ id, cid }) => `${id} ${cid}`,
    ({ aid }) => {
      const person = credits.get(aid ?? '')
      if (!person) dump.report.note('a voice of nobody in the dump is left out', `aid ${aid}`)
      return person ?? null
    },
  )
  const appearances = await groupRows(
    readTable(dump, 'chars_vns', ['id', 'vid', 'role', 'spoil']),
    ({ vid }) => vid,
    ({ id, role, spoil }) => {
      const known = CAST_ROLES[role ?? '']
      return id && known && !integerOf(spoil) ? { ref: id, ...known } : null
    },
  )
  return mapValues(appearances, (list, vid) => {
    const billed = list.toSorted((one, other) => one.billing - other.billing)
    return distinctBy(billed, ({ ref }) => ref).map(({ ref, role }) => {
      const actors = distinctBy(voices.get(`${vid} ${ref}`) ?? [], (actor) => actor.ref)
      return { ref, role, actors }
    })
  })
}

function mapValues<Value, Result>(
  map: ReadonlyMap<string, Value>,
  change: (value: Value, key: string) => Result,
): Map<string, Result> {
  return new Map([...map].map(([key, value]) => [key, change(value, key)]))
}

/** The first item of each key, in order. */
function distinctBy<Item>(items: Item[], keyOf: (item: Item) => string): Item[] {
  return [...Map.groupBy(items, keyOf).values()].flatMap((same) => same.slice(0, 1))
}
