import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { withinOneDeadline } from '../db/server/deadlines.ts'
import type { CheckContext, DatabaseCheck, MachineCheck } from './check.ts'
import { DATABASE_CHECKS, MACHINE_CHECKS } from './checks.ts'
import { checkDatabase, checkMigrations } from './database/database.ts'
import { fault, type CheckId, type Finding } from './finding.ts'
import { detailOf } from './why.ts'

export type CheckResult = {
  id: CheckId
  status: 'ok' | 'warning' | 'error' | 'skipped'
  milliseconds: number
  findings: Finding[]
}

export type ExamineOptions = {
  context: CheckContext
  /** The database, or the finding that it cannot be opened. */
  database: Database | Finding
  /** Whether to run the checks that take too long for a page. */
  isThorough: boolean
}

/** Maximum time, in milliseconds, for one check. */
const DEADLINE_MS = 10_000
/** Maximum time, in milliseconds, for a check that reads the whole database. */
const EXPENSIVE_DEADLINE_MS = 120_000

/**
 * Runs every check that applies. A check that fails or times out becomes a finding, and the others run anyway. Without
 * a database, the checks that need it are skipped.
 */
export async function examine({
  context,
  database,
  isThorough,
}: ExamineOptions): Promise<CheckResult[]> {
  const applicable = <Check extends MachineCheck | DatabaseCheck>(checks: Check[]) =>
    checks.filter(({ applies }) => applies?.(context) ?? true)
  const [machine, ofDatabase] = await Promise.all([
    Promise.all(
      applicable(MACHINE_CHECKS).map(({ id, run }) => runCheck(id, async () => run(context))),
    ),
    examineDatabase(
      context,
      database,
      applicable(DATABASE_CHECKS).filter((check) => isThorough || !check.isExpensive),
    ),
  ])
  return [...machine, ...ofDatabase]
}

async function examineDatabase(
  context: CheckContext,
  database: Database | Finding,
  checks: DatabaseCheck[],
): Promise<CheckResult[]> {
  const skip = (id: CheckId): CheckResult => ({
    id,
    status: 'skipped',
    milliseconds: 0,
    findings: [],
  })
  let isReachable = false
  let isCurrent = false
  const reached = await runCheck('database', async () => {
    if ('code' in database) return [database]
    const state = await checkDatabase({ db: database })
    isReachable = state.isReachable
    return state.findings
  })
  if ('code' in database || !isReachable)
    return [reached, skip('schema'), ...checks.map(({ id }) => skip(id))]
  const migrated = await runCheck('schema', async () => {
    const state = await checkMigrations({ db: database })
    isCurrent = state.isCurrent
    return state.findings
  })
  const results = [reached, migrated]
  for (const { id, run, needsSchema, isExpensive } of checks)
    results.push(
      needsSchema && !isCurrent
        ? skip(id)
        : await runCheck(
            id,
            async () => run({ ...context, db: database }),
            isExpensive && EXPENSIVE_DEADLINE_MS,
          ),
    )
  return results
}

async function runCheck(
  id: CheckId,
  run: () => Promise<Finding[]>,
  deadlineMs = DEADLINE_MS,
): Promise<CheckResult> {
  const began = performance.now()
  const stop = new AbortController()
  const tooLate = async () => {
    await sleep(deadlineMs, undefined, { signal: stop.signal })
    return [fault('run.silent', { params: { seconds: deadlineMs / 1_000 } })]
  }
  const findings = await Promise.race([withinOneDeadline(run, deadlineMs), tooLate()]).catch(
    (error: unknown) => [fault('run.failed', { detail: detailOf(error) })],
  )
  stop.abort()
  return {
    id,
    status: statusOf(findings),
    milliseconds: Math.round(performance.now() - began),
    findings,
  }
}

const statusOf = (findings: Finding[]) =>
  findings.some(({ level }) => level === 'error') ? 'error' : findings.length > 0 ? 'warning' : 'ok'

/** Counts the findings of each level. */
export function countFindings(results: CheckResult[]): { errors: number; warnings: number } {
  const levels = results.flatMap(({ findings }) => findings.map(({ level }) => level))
  const errors = levels.filter((level) => level === 'error').length
  return { errors, warnings: levels.length - errors }
}
