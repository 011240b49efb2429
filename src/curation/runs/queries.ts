import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { ImportPhase } from '../../sources/records/progress.ts'
import type { Source } from '../../sources/records/record.ts'
import { DUMP_SOURCES } from '../sources.ts'
import type { DumpFacts } from '../../sources/dump/dump-facts.ts'

type RunResult = {
  kinds: readonly object[]
  remarks: readonly object[]
  phaseSeconds: Partial<Record<ImportPhase, number>>
}

/**
 * Stores the start of an import before its transaction begins, so that other processes can see the import.
 *
 * @returns the number of the run
 */
export async function beginRun(
  db: Database,
  source: Source,
  dump: DumpFacts | undefined,
  { pid, host }: { pid: number; host: string },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into import_runs (source, dump_name, dump_date, sha256, mapping_version, pid, host)
    values (
      ${source}, ${dump?.name ?? null}, ${dump?.date ?? null}::date, ${dump?.sha256 ?? null},
      ${source === 'local' ? null : DUMP_SOURCES[source].mappingVersion}::integer, ${pid}::integer, ${host}
    )
    returning id`.execute(db)
  const [run] = rows
  if (!run) throw new Error('Could not record the import.')
  return run.id
}

/** Marks a run as completed, within the transaction of the import. */
export async function completeRun(
  trx: Database,
  id: number,
  { kinds, remarks, phaseSeconds }: RunResult,
): Promise<void> {
  await sql`
    update import_runs
    set
      outcome = 'done',
      ended_at = clock_timestamp(),
      kinds = ${JSON.stringify(kinds)}::jsonb,
      remarks = ${JSON.stringify(remarks)}::jsonb,
      phase_seconds = ${JSON.stringify(phaseSeconds)}::jsonb,
      pid = null,
      host = null
    where id = ${id}::integer`.execute(trx)
}

export async function abandonRun(
  db: Database,
  id: number,
  outcome: 'failed' | 'refused',
  error: string,
): Promise<void> {
  await sql`
    update import_runs
    set outcome = ${outcome}, ended_at = clock_timestamp(), error = ${error}, pid = null, host = null
    where id = ${id}::integer`.execute(db)
}

/** Stores that a source could not be updated because fetching its dump failed. */
export async function recordFailedRun(db: Database, source: Source, error: string): Promise<void> {
  await sql`
    insert into import_runs (source, outcome, ended_at, error)
    values (${source}, 'failed', clock_timestamp(), ${error})`.execute(db)
}
