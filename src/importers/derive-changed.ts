import { sql } from 'kysely'
import type { EntryKind } from '../catalog/kinds.ts'
import type { Database } from '../db/database.ts'
import { deriveEntries } from './derive-entries.ts'
import { deriveLinks } from './derive-links.ts'
import { DERIVED_KINDS } from './record-kinds.ts'
import type { Source } from './record.ts'

/** Writes the entries in `changed_entries` anew, and the lists of works that may read differently. */
export async function deriveChanged(trx: Database, source: Source | 'all'): Promise<void> {
  const { rows } = await sql<{ kind: EntryKind }>`select distinct kind from changed_entries`.execute(trx)
  const changedKinds = new Set(rows.map(({ kind }) => kind))
  for (const kind of DERIVED_KINDS) if (changedKinds.has(kind)) await deriveEntries(trx, kind)
  await deriveLinks(trx, source)
}
