import type { Database } from '../../db/database.ts'
import { findChangedKinds } from './changed-entries.ts'
import { deriveEntries } from './derive-entries.ts'
import { deriveLinks } from './derive-links.ts'
import { DERIVED_KINDS } from '../../sources/records/record-kinds.ts'

/**
 * Derives the entries in `changed_entries` and the lists of works that may change.
 *
 * @param onProgress called with the number of completed steps and their total
 */
export async function deriveChanged(
  trx: Database,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<void> {
  const changedKinds = await findChangedKinds(trx)
  const kinds = DERIVED_KINDS.filter((kind) => changedKinds.has(kind))
  const total = kinds.length + 1
  for (const [done, kind] of kinds.entries()) {
    onProgress(done, total)
    await deriveEntries(trx, kind)
  }
  onProgress(kinds.length, total)
  await deriveLinks(trx)
  onProgress(total, total)
}
