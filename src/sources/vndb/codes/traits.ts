import type { Database } from '../../../db/database.ts'
import { createTemporaryTable } from '../../../db/temporary-table.ts'
import { BOOLEAN } from '../../dump/known-values.ts'
import type { DumpReading } from '../../dump/dump-source.ts'
import { integerOf } from '../../dump/tables/copy-text.ts'
import { stageTable } from '../../dump/tables/stage-table.ts'
import type { Label } from '../../records/record-fields.ts'

/** Label of a trait, with the position of its group. */
export type TraitRow = Label & { order: string | null }

/** Returns the labels of a character's traits in the order of their groups. */
export const traitLabels = (traits: TraitRow[]): Label[] =>
  traits
    .toSorted((a, b) => (integerOf(a.order) ?? 0) - (integerOf(b.order) ?? 0))
    .map(({ key, value }) => ({ key, value }))

/**
 * Stages the traits that are not sexual as `dump_trait_labels (id, key, value, order)`, with the group as key and the
 * trait as value (`Hair`: `Blond`). `gid` is the id of a trait's group, which is itself a trait.
 */
export async function stageTraits(dump: DumpReading, trx: Database): Promise<void> {
  await stageTable(dump, trx, 'traits', {
    columns: ['id', 'gid', 'gorder', 'sexual', 'name'],
    older: ['group'],
    key: 'id',
    known: { sexual: BOOLEAN },
  })
  await createTemporaryTable(trx, 'dump_trait_labels')`
    select trait.id, heading.name as key, trait.name as value, heading.gorder as "order"
    from dump_traits trait
    join dump_traits heading on heading.id = coalesce(trait.gid, trait."group")
    where trait.name <> '' and heading.name <> '' and 't' not in (coalesce(trait.sexual, ''), coalesce(heading.sexual, ''))`
}
