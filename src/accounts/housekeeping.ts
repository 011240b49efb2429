import type { Logger } from 'pino'
import { purgeAccounts } from './deletion-queries.ts'
import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import { inLongTransaction } from '../db/server/long-transaction.ts'
import { IS_UNUSED_UPLOAD } from '../uploads/upload-queries.ts'
import { ATTEMPTS_EXPIRE_AFTER } from './sign-in/login-throttle.ts'
import { startPeriodicTask, type PeriodicTask } from '../kernel/async/periodic-task.ts'

/**
 * SQL interval after which an access token has certainly expired: its lifetime of an hour (§8), plus five minutes of
 * clock skew.
 */
export const ACCESS_TOKEN_EXPIRY = '65 minutes'

/** By table, the condition of rows that are of no use any more. */
const EXPIRED = {
  links: 'expires_at < now()',
  passkey_challenges: 'expires_at < now()',
  attempts: `last_try_at < now() - interval '${ATTEMPTS_EXPIRE_AFTER}'`,
  trusted_browsers: 'expires_at < now()',
  uploads: IS_UNUSED_UPLOAD,
  withdrawals: 'expires_at < now()',
  form_drafts: 'expires_at < now()',
  sessions: 'expires_at < now()',
  oidc_records: 'expires_at < now()',
  // Tokens outlive their grant by an hour; deleted earlier, it would be recorded as withdrawn.
  grants: `expires_at < now() - interval '${ACCESS_TOKEN_EXPIRY}'`,
  // A mail is given up within two hours; older ones had no sender.
  mails: `created_at < now() - interval '3 days'`,
  // Files of lists that were never taken over, and what others did.
  list_imports: 'expires_at < now()',
  known_devices: `last_used_at < now() - interval '400 days'`,
  // They can be brought back for ten minutes.
  deleted_collections: `deleted_at < now() - interval '1 hour'`,
  rating_walks: `started_at < now() - interval '1 hour'`,
  removed_items: `removed_at < now() - interval '1 hour'`,
  app_usage: `day < current_date - 91`,
  app_endpoint_usage: `day < current_date - 91`,
  refused_requests: `at < now() - interval '7 days'`,
  audit_events: `account_id is null and kind = 'sign_in_failed' and at < now() - interval '30 days'`,
} as const

type Table = keyof typeof EXPIRED
type Swept = Record<Table, number>

/** Rows of one statement: few enough that its locks hold nobody up. */
const BATCH = 1_000
/** In milliseconds: a large table is read from its beginning for those rows. */
const MAX_BATCH_MS = 30_000
/** Per table and sweep; the next one takes the rest. */
const MAX_BATCHES = 100

// as: Object.keys forgets what the keys are
const DELETIONS = (Object.keys(EXPIRED) as Table[]).map((table) => ({
  table,
  deletion: statement(`accounts.sweep_${table}`).sql(`
  delete from ${table}
  where ctid = any(array(select ctid from ${table} where ${EXPIRED[table]} limit ${BATCH} for update skip locked))
  returning 1`),
}))

/** Deletes what has expired, in batches. Any number of processes may do so at the same time. @returns rows by table */
export async function sweep(db: Database): Promise<Swept> {
  const swept: Partial<Swept> = {}
  for (const { table, deletion } of DELETIONS) {
    let deleted = 0
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      const rows = await inLongTransaction(db, MAX_BATCH_MS, (trx) => queryRows(trx, deletion, []))
      deleted += rows.length
      if (rows.length < BATCH) break
    }
    swept[table] = deleted
  }
  // as: the loop went through all of them
  return swept as Swept
}

/** Minutes between two sweeps, with jitter, so that processes seldom sweep at the same time. */
const SWEEP_MINUTES = 10

/** Sweeps and deletes accounts whose time has come, now and then, until it is stopped. */
export function startHousekeeping(db: Database, log: Logger): PeriodicTask {
  return startPeriodicTask(
    () => SWEEP_MINUTES * 60_000 * (0.5 + Math.random()),
    async () => {
      await sweep(db)
      await purgeAccounts(db)
    },
    (err) => log.warn({ err }, 'What has expired could not be swept out'),
  )
}
