import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { RecordCounts } from '../load-records.ts'
import type { ImportPhase } from '../../sources/records/progress.ts'
import type { Source } from '../../sources/records/record.ts'
import type { Remark } from '../remarks.ts'
import { runningImport, liveRuns } from './import-lock.ts'

export type ImportRun = {
  id: number
  source: Source
  dump_name: string | null
  /** `YYYY-MM-DD` */
  dump_date: string | null
  sha256: string | null
  /** Mapping version of the dump's reader (sources/dump/dump-source.ts). Null for runs by earlier versions. */
  mapping_version: number | null
  began_at: Date
  ended_at: Date | null
  /** Outcome or current state. `broken off` means that the process ended without an outcome. */
  state: 'done' | 'failed' | 'refused' | 'running' | 'waiting' | 'broken off'
  /** Process id while the import runs. */
  pid: number | null
  host: string | null
  kinds: RecordCounts[]
  remarks: Remark[]
  phase_seconds: Partial<Record<ImportPhase, number>>
  error: string | null
}

const RUN = sql`
  select
    run.id, run.source, run.dump_name, run.dump_date::text, run.sha256, run.mapping_version, run.began_at, run.ended_at,
    case
      when run.outcome is not null then run.outcome
      when alive.pid is null then 'broken off'
      when alive.pid in (select pid from (${runningImport}) main) then 'running'
      else 'waiting'
    end as state,
    case when alive.pid is not null then run.pid end as pid,
    case when alive.pid is not null then run.host end as host,
    run.kinds, run.remarks, run.phase_seconds, run.error
  from import_runs run
  left join (${liveRuns}) alive on alive.id = run.id`

export async function listRuns(db: Database, limit: number): Promise<ImportRun[]> {
  const { rows } = await sql<ImportRun>`${RUN} order by run.id desc limit ${limit}`.execute(db)
  return rows
}

export async function findRun(db: Database, id: number): Promise<ImportRun | undefined> {
  const { rows } = await sql<ImportRun>`${RUN} where run.id = ${id}::integer`.execute(db)
  return rows[0]
}

export async function findLastDone(db: Database, source: Source): Promise<ImportRun | undefined> {
  const { rows } = await sql<ImportRun>`
    ${RUN} where run.source = ${source} and run.outcome = 'done' order by run.id desc limit 1`.execute(
    db,
  )
  return rows[0]
}

type Outcome = { id: number; outcome: string; error: string | null; seconds_ago: number }

/** Returns the outcomes of the last two imports of a source that ended, newest first. */
export async function listLastOutcomes(db: Database, source: Source): Promise<Outcome[]> {
  const { rows } = await sql<Outcome>`
    select id, outcome, error, extract(epoch from clock_timestamp() - ended_at)::float8 as seconds_ago
    from import_runs
    where source = ${source} and outcome is not null
    order by id desc
    limit 2`.execute(db)
  return rows
}
