import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Dependence } from '../sources/dump/dependence.ts'
import type { RecordCounts } from './load-records.ts'
import type { Source } from '../sources/records/record.ts'
import type { Remark } from './remarks.ts'

/** What reading a dump tells in the end. */
type Reported = { kinds: RecordCounts[]; remarks: Remark[] }

/**
 * What reading the last dump of a source reported, when it has this checksum and what its records depend on besides is as it
 * was: reading it again would change nothing of what the source says. Nobody has written that since (triggers on
 * `source_records`), and no date in it has come.
 */
export async function findUnchanged(
  trx: Database,
  source: Source,
  checksum: string,
  { today }: Pick<Dependence, 'today'>,
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
 * Whether the dump of a source that was imported last would say the same if it were read again: no date in it has come
 * since, and its checksum was not forgotten.
 *
 * @param today `YYYY-MM-DD`
 */
export async function saysTheSame(
  db: Database,
  source: Source,
  { today }: Pick<Dependence, 'today'>,
): Promise<boolean> {
  const { rows } = await sql`
    select from import_checksums
    where source = ${source} and (until is null or until > ${today}::date)`.execute(db)
  return rows.length > 0
}

/** Keeps the checksum of a dump that has been imported, at the end: writing what the source says forgets it. */
export const keepChecksum = (
  trx: Database,
  source: Source,
  checksum: string,
  { until, onCatalog }: Pick<Dependence, 'until' | 'onCatalog'>,
  { kinds, remarks }: Reported,
) =>
  sql`
    insert into import_checksums (source, checksum, until, on_catalog, kinds, remarks)
    values (
      ${source}, ${checksum}, ${until ?? null}::date, ${onCatalog}::boolean,
      ${JSON.stringify(kinds)}::jsonb, ${JSON.stringify(remarks)}::jsonb
    )
    on conflict (source) do update
      set
        checksum = excluded.checksum, until = excluded.until, on_catalog = excluded.on_catalog,
        kinds = excluded.kinds, remarks = excluded.remarks`.execute(trx)
