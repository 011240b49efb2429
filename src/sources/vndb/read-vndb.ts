import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { programHash } from '../dump/checksum.ts'
import type { DumpReading } from '../dump/dump-source.ts'
import type { SourceRecord } from '../records/record.ts'
import { createUnchangedRecordsTable } from '../records/unchanged-records.ts'
import { CHARACTERS } from './characters.ts'
import { readEntries, type EntryParts } from './entries.ts'
import { reportUnknownStaff } from './galgame-links.ts'
import { GALGAMES } from './galgames.ts'
import { PEOPLE } from './people.ts'
import { PRODUCERS } from './producers.ts'
import { stageVndb } from './tables.ts'
import { removeUnchanged } from './unchanged-entries.ts'

/**
 * Yields the records of a VNDB dump: producers, people, characters, then galgames, which refer to the others. Records
 * that the last import has already stored are added to `unchanged_records` instead.
 *
 * The database sorts and joins the staged tables, so memory use does not depend on the size of the dump. Columns that
 * older or newer dumps lack are reported.
 */
export async function* readVndb(dump: DumpReading, trx: Database): AsyncGenerator<SourceRecord> {
  // Small samples suffice for the statistics of large tables. Plans should assume that cursors are read to the end.
  await sql`set local default_statistics_target = 20`.execute(trx)
  await sql`set local cursor_tuple_fraction = 1`.execute(trx)
  await sql`set local work_mem = '32MB'`.execute(trx)
  await stageVndb(dump, trx)
  const program = (await createUnchangedRecordsTable(trx)) ? programHash() : null
  for (const parts of PARTS) await removeUnchanged(trx, parts, program)
  await sql`
    delete from dump_complete whole where not exists (select from dump_vn galgame where galgame.n = whole.n)`.execute(
    trx,
  )
  await sql`set local default_statistics_target to default`.execute(trx)
  await reportUnknownStaff(dump.report, trx)
  for (const parts of PARTS) yield* readEntries(trx, parts, dump.report)
}

const PARTS: readonly EntryParts[] = [PRODUCERS, PEOPLE, CHARACTERS, GALGAMES]
