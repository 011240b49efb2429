import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { programHash } from '../dump/checksum.ts'
import type { DumpReading } from '../dump/dump-source.ts'
import type { ImportReport, SourceRecord } from '../records/record.ts'
import { makeUnchanged } from '../records/unchanged-records.ts'
import { CHARACTERS, readCharacters } from './characters.ts'
import { NOVELS, readGalgames } from './galgames.ts'
import { leaveOutKnown } from './known-entries.ts'
import { PEOPLE, readPeople } from './people.ts'
import { PRODUCERS, readProducers } from './producers.ts'
import { stageVndb } from './tables.ts'
import { readTraits, stageTraitLabels, type Traits } from './codes/traits.ts'

/**
 * Everything a VNDB dump says: producers, people, characters, then the novels that name them; without the records whose rows
 * are those of the last import, which are in `unchanged_records`.
 *
 * The tables are staged in the database, which sorts and joins them; here is only what is mapped at the moment, however
 * large the dump is. Columns that a dump of another age lacks are noted in the report, and what they would have said stays
 * unsaid.
 */
export async function* readVndb(dump: DumpReading, trx: Database): AsyncGenerator<SourceRecord> {
  // Of large tables little is to be looked at; and all rows of a cursor are wanted, not the first of them soon.
  await sql`set local default_statistics_target = 20`.execute(trx)
  await sql`set local cursor_tuple_fraction = 1`.execute(trx)
  await sql`set local work_mem = '32MB'`.execute(trx)
  await stageVndb(dump, trx)
  const traits = await readTraits(dump)
  await stageTraitLabels(trx, traits)
  const program = (await makeUnchanged(trx)) ? programHash() : null
  for (const parts of [PRODUCERS, PEOPLE, CHARACTERS, NOVELS])
    await leaveOutKnown(trx, parts, program)
  await sql`
    delete from dump_complete whole where not exists (select from dump_vn novel where novel.n = whole.n)`.execute(
    trx,
  )
  await sql`set local default_statistics_target to default`.execute(trx)
  let hasNoted = false
  const report: ImportReport = {
    note(...remark) {
      hasNoted = true
      dump.report.note(...remark)
    },
  }
  for await (const { hash, ...record } of readEntries(report, trx, traits)) {
    // What there is a remark of is read each time, for the remark.
    yield hash === undefined || hasNoted ? record : { ...record, hash }
    hasNoted = false
  }
}

async function* readEntries(
  report: ImportReport,
  trx: Database,
  traits: Traits,
): AsyncGenerator<SourceRecord> {
  yield* readProducers(report, trx)
  yield* readPeople(report, trx)
  yield* readCharacters(report, trx, traits)
  yield* readGalgames(report, trx)
}
