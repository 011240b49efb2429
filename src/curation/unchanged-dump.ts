import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Dependencies } from '../sources/dump/dependencies.ts'
import type { RecordCounts } from './load-records.ts'
import type { Source } from '../sources/records/record.ts'
import type { Remark } from './remarks.ts'

type Reported = { kinds: RecordCounts[]; remarks: Remark[] }

/**
 * Returns the result of a source's last import if reading the dump again would yield the same records: the checksum is
 * the same, no future date in the dump has arrived, and `source_records` has not changed since (a trigger deletes the
 * checksum on changes).
 */
export async function findUnchangedDump(
  trx: Database,
  source: Source,
  checksum: string,
  { today }: Pick<Dependencies, 'today'>,
): Promise<Reported | undefined> {
  const { rows } = await sql<Reported>`
    select kinds, remarks from import_checksums
    where source = ${source} and checksum = ${checksum} and (until is null or until > ${today}::date)`.execute(
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

/**
 * Returns true if the last imported dump of a source would yield the same records today: no future date in it has
 * arrived, and its checksum is still stored.
 *
 * @param today `YYYY-MM-DD`
 */
export async function isUpToDate(
  db: Database,
  source: Source,
  { today }: Pick<Dependencies, 'today'>,
): Promise<boolean> {
  const { rows } = await sql`
    select from import_checksums
    where source = ${source} and (until is null or until > ${today}::date)`.execute(db)
  return rows.length > 0
}

/** Stores the checksum of an imported dump. Call this last, because writing records deletes the checksum. */
export const saveChecksum = (
  trx: Database,
  source: Source,
  checksum: string,
  { until, includesCatalog }: Pick<Dependencies, 'until' | 'includesCatalog'>,
  { kinds, remarks }: Reported,
) =>
  sql`
    insert into import_checksums (source, checksum, until, on_catalog, kinds, remarks)
    values (
      ${source}, ${checksum}, ${until ?? null}::date, ${includesCatalog}::boolean,
      ${JSON.stringify(kinds)}::jsonb, ${JSON.stringify(remarks)}::jsonb
    )
    on conflict (source) do update
      set
        checksum = excluded.checksum, until = excluded.until, on_catalog = excluded.on_catalog,
        kinds = excluded.kinds, remarks = excluded.remarks`.execute(trx)
