import { statement } from '../../db/statement.ts'
import { queryRow } from '../../db/query.ts'
import { compareMigrations } from '../../db/upkeep/migrate.ts'
import type { DatabaseContext } from '../check.ts'
import { fault, warning, type Finding } from '../finding.ts'
import { detailOf, whyOf } from '../why.ts'

/** Oldest supported version, as in `server_version_num`. */
const MIN_VERSION = 150_000

const FIND_STATE = statement('doctor.find_state').returning<{
  version: string
  number: number
  is_read_only: boolean
}>(`
  select
    current_setting('server_version') as version,
    current_setting('server_version_num')::integer as number,
    pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as is_read_only`)

/**
 * Checks that the database is reachable, writable and new enough.
 *
 * @returns `isReachable` tells whether the other checks of the database can run
 */
export async function checkDatabase({
  db,
}: Pick<DatabaseContext, 'db'>): Promise<{ findings: Finding[]; isReachable: boolean }> {
  try {
    const state = await queryRow(db, FIND_STATE, [])
    const findings: Finding[] = []
    if (state && state.number < MIN_VERSION)
      findings.push(fault('database.too_old', { params: { version: state.version } }))
    if (state?.is_read_only) findings.push(fault('database.read_only'))
    return { findings, isReachable: true }
  } catch (error) {
    return { findings: [explainConnection(error)], isReachable: false }
  }
}

/** Explains why the database cannot be used. */
export const explainConnection = (error: unknown): Finding =>
  fault('database.unreachable', { why: whyOf(error), detail: detailOf(error) })

/**
 * Compares the migrations of the database with those of this program.
 *
 * @returns `isCurrent` tells whether the tables are as this program expects
 */
export async function checkMigrations({
  db,
}: Pick<DatabaseContext, 'db'>): Promise<{ findings: Finding[]; isCurrent: boolean }> {
  const { pending, edited, unknown } = await compareMigrations(db)
  const findings = [
    ...unknown.map(({ name, isNewer }) =>
      fault(isNewer ? 'schema.newer' : 'schema.replaced', { params: { name } }),
    ),
    ...edited.map((name) => fault('schema.edited', { params: { name } })),
    ...(pending.length > 0
      ? [warning('schema.pending', { params: { count: pending.length, name: pending[0] ?? '' } })]
      : []),
  ]
  return { findings, isCurrent: findings.length === 0 }
}
