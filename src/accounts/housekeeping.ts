import type { Logger } from 'pino'
import { purgeAccounts } from './deletion-queries.ts'
import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import { inLongTransaction } from '../db/server/long-transaction.ts'
import { IS_UNUSED_UPLOAD } from '../uploads/upload-queries.ts'
import { ATTEMPTS_EXPIRE_AFTER } from './sign-in/login-throttle.ts'
import { traceTask } from '../kernel/async/trace-task.ts'
import { startPeriodicTask, type PeriodicTask } from '../kernel/async/periodic-task.ts'

/**
 * SQL interval after which an access token has expired: its lifetime of one hour (§8) plus five minutes of clock
 * skew.
 */
export const ACCESS_TOKEN_EXPIRY = '65 minutes'

/** SQL condition for the rows to delete, keyed by table. */
const EXPIRED = {
  links: 'expires_at < now()',
  passkey_challenges: 'expires_at < now()',
  upstream_flows: 'expires_at < now()',
  attempts: `last_try_at < now() - interval '${ATTEMPTS_EXPIRE_AFTER}'`,
  trusted_browsers: 'expires_at < now()',
  uploads: IS_UNUSED_UPLOAD,
  withdrawals: 'expires_at < now()',
  form_drafts: 'expires_at < now()',
  sessions: 'expires_at < now()',
  oidc_records: 'expires_at < now()',
  // Tokens outlive their grant by an hour. Deleting the grant earlier would record it as withdrawn.
  grants: `expires_at < now() - interval '${ACCESS_TOKEN_EXPIRY}'`,
  // Emails are abandoned after two hours. Older ones remain only if no process sends email.
  mails: `created_at < now() - interval '3 days'`,
  // Uploaded lists that have not been imported.
  list_imports: 'expires_at < now()',
  known_devices: `last_used_at < now() - interval '400 days'`,
  // A deleted collection can be restored for ten minutes.
  deleted_collections: `deleted_at < now() - interval '1 hour'`,
  rating_walks: `started_at < now() - interval '1 hour'`,
  removed_items: `removed_at < now() - interval '1 hour'`,
  app_usage: `day < current_date - 91`,
  app_endpoint_usage: `day < current_date - 91`,
  refused_requests: `at < now() - interval '7 days'`,
  audit_events: `account_id is null and kind = 'sign_in_failed' and at < now() - interval '30 days'`,
} as const

type Table = keyof typeof EXPIRED
type DeletedCounts = Record<Table, number>

/** Rows per statement: few enough to hold locks only briefly. */
const BATCH = 1_000
/** Maximum time per batch, in milliseconds. Finding the rows may require a scan of a large table. */
const MAX_BATCH_MS = 30_000
/** Maximum batches per table and sweep. The next sweep deletes the rest. */
const MAX_BATCHES = 100

// as: Object.keys does not infer the keys
const DELETIONS = (Object.keys(EXPIRED) as Table[]).map((table) => ({
  table,
  deletion: statement(`accounts.sweep_${table}`).sql(`
  delete from ${table}
  where ctid = any(array(select ctid from ${table} where ${EXPIRED[table]} limit ${BATCH} for update skip locked))
  returning 1`),
}))

/**
 * Deletes expired rows, in batches. Processes may sweep concurrently.
 *
 * @returns number of deleted rows, keyed by table
 */
export async function sweep(db: Database): Promise<DeletedCounts> {
  const deletedCounts: Partial<DeletedCounts> = {}
  for (const { table, deletion } of DELETIONS) {
    let deleted = 0
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      const rows = await inLongTransaction(db, MAX_BATCH_MS, (trx) => queryRows(trx, deletion, []))
      deleted += rows.length
      if (rows.length < BATCH) break
    }
    deletedCounts[table] = deleted
  }
  // as: the loop adds every table
  return deletedCounts as DeletedCounts
}

/** Average minutes between sweeps. Jitter keeps processes from sweeping all at once. */
const SWEEP_MINUTES = 10

/** Deletes expired rows and due accounts periodically until it is stopped. */
export function startHousekeeping(db: Database, log: Logger): PeriodicTask {
  return startPeriodicTask(
    () => SWEEP_MINUTES * 60_000 * (0.5 + Math.random()),
    () =>
      traceTask('housekeeping', async () => {
        await sweep(db)
        await purgeAccounts(db)
      }),
    (err) => log.warn({ err }, 'Could not delete expired rows'),
  )
}
