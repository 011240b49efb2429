import { deleteUndecidedSignUps } from '../accounts/deletion-queries.ts'
import type { RetentionWindows } from '../config/retention-settings.ts'
import { isDeadlock, isLockTimeout } from '../db/constraint-errors.ts'
import type { Database } from '../db/database.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { inLongTransaction } from '../db/server/long-transaction.ts'
import { statement } from '../db/statement.ts'
import { DELETIONS_ARE_HELD } from '../db/upkeep/deletion-hold.ts'
import { FIXED_RULES, WINDOW_RULES, type FixedRule, type RetentionRule } from './rules.ts'

/** Rows per statement. Small batches hold locks only briefly. */
const BATCH = 1_000
/** Maximum time per batch, in milliseconds. Finding the rows may require a scan of a large table. */
const MAX_BATCH_MS = 30_000
/** Maximum batches per rule and run. The next run deletes the rest. */
const MAX_BATCHES = 100

/**
 * Checks the hold in the transaction of the batch, because the clock may jump at any moment: `now()` is the same in
 * both. For user data, `$1` limits the wait for a locked row to less than PostgreSQL's `deadlock_timeout`, so that a
 * deadlock with a user's request ends the batch and not the request. Citus does not pass the limit on to its machines.
 */
const BEGIN_BATCH = statement('retention.begin_batch').returning<{ held: boolean }>(
  `select ${DELETIONS_ARE_HELD} as held, case when $1::boolean then set_config('lock_timeout', '100ms', true) end`,
)

const dueRows = ({ table, due, key }: RetentionRule) =>
  key === undefined
    ? `ctid = any(array(select ctid from ${table} where ${due} limit ${BATCH} for update skip locked))`
    : `(${key}) in (select ${key} from ${table} where ${due} limit ${BATCH}) and ${due}`

const deletionOf = (rule: RetentionRule) => `
  ${rule.erases ? `update ${rule.table} set ${rule.erases}` : `delete from ${rule.table}`}
  where ${dueRows(rule)}
  returning 1`

const FIXED_DELETIONS = FIXED_RULES.map((rule: FixedRule & RetentionRule) => ({
  name: rule.table,
  deletion: statement(`retention.delete_${rule.table}`).sql(deletionOf(rule)),
  findKept: rule.findKept,
  isUserData: rule.key !== undefined,
}))

const WINDOW_DELETIONS = WINDOW_RULES.map(
  (rule: (typeof WINDOW_RULES)[number] & RetentionRule) => ({
    name: rule.setting,
    isUserData: rule.key !== undefined,
    deletion: statement(`retention.delete_by_${rule.setting}`).sql(deletionOf(rule)),
  }),
)

/**
 * Deletes expired rows in batches. Several processes may run it concurrently.
 *
 * @param windows retention windows in days, keyed by setting; rows of settings without a window are kept
 * @param onLocked called with the table or setting of a rule that ended early, because another transaction has locked
 * one of its rows
 * @returns number of deleted rows, keyed by setting, or by table for rules without a setting
 */
export async function deleteByAge(
  db: Database,
  windows: Partial<RetentionWindows> = {},
  onLocked: (name: string) => void = () => {},
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { name, deletion, findKept, isUserData } of FIXED_DELETIONS)
    counts[name] = await inBatches(
      db,
      isUserData,
      async (trx) => queryRows(trx, deletion, findKept ? [await findKept(trx)] : []),
      () => onLocked(name),
    )
  for (const { name, deletion, isUserData } of WINDOW_DELETIONS) {
    const days = windows[name]
    if (days !== undefined)
      counts[name] = await inBatches(
        db,
        isUserData,
        (trx) => queryRows(trx, deletion, [days]),
        () => onLocked(name),
      )
  }
  const { SIGN_UP_RETENTION: days } = windows
  if (days !== undefined) counts['SIGN_UP_RETENTION'] = await deleteUndecidedSignUps(db, days)
  return counts
}

async function inBatches(
  db: Database,
  isUserData: boolean,
  deleteBatch: (trx: Database) => Promise<unknown[]>,
  onLocked: () => void,
) {
  let deleted = 0
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const rows = await inLongTransaction(db, MAX_BATCH_MS, async (trx) =>
      (await queryRow(trx, BEGIN_BATCH, [isUserData]))?.held ? [] : deleteBatch(trx),
    ).catch((error: unknown) => {
      if (!isLockTimeout(error) && !isDeadlock(error)) throw error
      onLocked()
      return []
    })
    deleted += rows.length
    if (rows.length < BATCH) break
  }
  return deleted
}
