import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { RecordCounts } from './load-records.ts'
import type { Source } from './record.ts'
import type { Remark } from './remarks.ts'

/** What an import tells in the end. */
type Reported = { kinds: RecordCounts[]; remarks: Remark[] }

/**
 * What the last import of a source reported, when it was of a dump with this checksum and nobody has written records since,
 * of whatever source: importing it again would change nothing.
 */
export async function findUnchanged(
  trx: Database,
  source: Source,
  checksum: string,
): Promise<Reported | undefined> {
  const { rows } = await sql<Reported>`
    select kinds, remarks from import_checksums where source = ${source} and checksum = ${checksum}`.execute(
    trx,
  )
  const [known] = rows
  return (
    known && {
      kinds: known.kinds.map(({ kind, created, changed, unchanged, returned }) => ({
        kind,
        created: 0,
        changed: 0,
        unchanged: created + changed + unchanged + returned,
        withdrawn: 0,
        returned: 0,
      })),
      remarks: known.remarks,
    }
  )
}

/** Keeps the checksum of a dump that has been imported, at the end: writing records forgets all checksums. */
export const keepChecksum = (trx: Database, source: Source, checksum: string, { kinds, remarks }: Reported) =>
  sql`
    insert into import_checksums (source, checksum, kinds, remarks)
    values (${source}, ${checksum}, ${JSON.stringify(kinds)}::jsonb, ${JSON.stringify(remarks)}::jsonb)
    on conflict (source) do update
      set checksum = excluded.checksum, kinds = excluded.kinds, remarks = excluded.remarks`.execute(trx)
