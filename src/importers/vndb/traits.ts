import { integerOf, isTrue, readTable } from '../copy-text.ts'
import type { DumpReading } from '../dump/reading.ts'
import type { Label } from '../record-fields.ts'

type Trait = { label: Label; place: number }

/**
 * The traits of each character as labels of group and trait (`Hair`: `Blond`), in the order of the groups.
 *
 * Left out are sexual traits, those that give something away, and lies.
 */
export async function readTraitLabels(dump: DumpReading): Promise<ReadonlyMap<string, Label[]>> {
  const traits = await readTraits(dump)
  const byCharacter = new Map<string, Trait[]>()
  const rows = readTable(dump, 'chars_traits', ['id', 'tid', 'spoil', 'lie'])
  for await (const { id, tid, spoil, lie } of rows) {
    const trait = traits.get(tid ?? '')
    if (id && trait && !integerOf(spoil) && !isTrue(lie)) byCharacter.getOrInsert(id, []).push(trait)
  }
  // Every character of a trait shares its one label: there are millions of these rows.
  return new Map(
    [...byCharacter].map(([id, own]) => [
      id,
      own.toSorted((one, other) => one.place - other.place).map(({ label }) => label),
    ]),
  )
}

/** The traits that may be shown, by id; `gid` is the group a trait belongs to, which is itself a trait. */
async function readTraits(dump: DumpReading): Promise<Map<string, Trait>> {
  const rows = await Array.fromAsync(
    readTable(dump, 'traits', ['id', 'gid', 'gorder', 'sexual', 'name'], ['group']),
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  const traits = new Map<string, Trait>()
  for (const { id, gid, group: formerGid, sexual, name } of rows) {
    const group = byId.get(gid ?? formerGid ?? '')
    if (!id || !name || !group?.name || isTrue(sexual) || isTrue(group.sexual)) continue
    traits.set(id, { label: { key: group.name, value: name }, place: integerOf(group.gorder) ?? 0 })
  }
  return traits
}
