import type { Database } from '../../../db/database.ts'
import { createTemporaryTable } from '../../../db/temporary-table.ts'
import { BOOLEAN } from '../../dump/known-values.ts'
import type { DumpReading } from '../../dump/dump-source.ts'
import { integerOf, isTrue, readTable } from '../../dump/tables/copy-text.ts'
import type { Label } from '../../records/record-fields.ts'

/** Traits that may be shown, keyed by id. There are a few thousand, which are kept in memory. */
export type Traits = ReadonlyMap<string, { label: Label; order: number }>

/**
 * Returns a character's traits as labels of group and trait (`Hair`: `Blond`), in the order of the groups. Sexual and
 * unknown traits are omitted.
 */
export function traitLabels(traits: Traits, ids: (string | null)[]): Label[] {
  return ids
    .flatMap((id) => traits.get(id ?? '') ?? [])
    .toSorted((a, b) => a.order - b.order)
    .map(({ label }) => label)
}

/** Reads the traits that are not sexual. `gid` is the id of a trait's group, which is itself a trait. */
export async function readTraits(dump: DumpReading): Promise<Traits> {
  const rows = await Array.fromAsync(
    readTable(dump, 'traits', ['id', 'gid', 'gorder', 'sexual', 'name'], ['group'], {
      sexual: BOOLEAN,
    }),
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  const traits = new Map<string, { label: Label; order: number }>()
  for (const { id, gid, group: formerGid, sexual, name } of rows) {
    const group = byId.get(gid ?? formerGid ?? '')
    if (!id || !name || !group?.name || isTrue(sexual) || isTrue(group.sexual)) continue
    traits.set(id, { label: { key: group.name, value: name }, order: integerOf(group.gorder) ?? 0 })
  }
  return traits
}

/** Stages the label of each trait as `dump_trait_labels (id, label)`. */
export async function stageTraitLabels(trx: Database, traits: Traits): Promise<void> {
  await createTemporaryTable(trx, 'dump_trait_labels')`
    select id collate "C" as id, label
    from unnest(
      ${[...traits.keys()]}::text[],
      ${[...traits.values()].map((trait) => JSON.stringify(trait))}::text[]
    ) trait (id, label)`
}
