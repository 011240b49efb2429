import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import type { CheckId, Finding } from './finding.ts'

/** Thresholds at which a check warns. If there are two, the second one is that of an error. Tests use others. */
export const LIMITS = {
  clockSeconds: [5, 30],
  /** Transactions since the oldest unfrozen row. PostgreSQL stops accepting writes at two billion. */
  transactionAge: [1_000_000_000, 1_500_000_000],
  /** Share of the allowed connections that are open. */
  connectionShare: 0.9,
  /** Size of the database in relation to `shared_buffers`. */
  bufferFactor: 4,
  /** Size of a table in relation to its rows. */
  bloatFactor: 2,
  /** Size, in bytes, below which bloat and missing statistics of a table do not matter. */
  tableBytes: 16 * 2 ** 20,
  transactionSeconds: 300,
  waitSeconds: 5,
  redisMs: 50,
  certificateDays: [21, 3],
  keyDays: 400,
  importDays: 30,
  freeDiskBytes: [2 ** 30, 200 * 2 ** 20],
  /** Size, in bytes, of the body that must pass the proxy. */
  bodyBytes: 5_000_000,
} satisfies Record<string, number | [number, number]>

export type Limits = {
  [Name in keyof typeof LIMITS]: (typeof LIMITS)[Name] extends number
    ? number
    : readonly [number, number]
}

export type CheckContext = {
  config: Config
  /** Includes the variables of `.env`. */
  environment: NodeJS.ProcessEnv
  /** Folder that may contain `.env`. */
  folder: string
  engine: 'embedded' | 'server'
  limits: Limits
  /** Time in milliseconds since 1970. */
  now: () => number
}

export type DatabaseContext = CheckContext & { db: Database }

type CheckOf<Context> = {
  id: CheckId
  /** Whether the check applies to this installation. True if omitted. */
  applies?: (context: CheckContext) => boolean
  run: (context: Context) => Promise<Finding[]> | Finding[]
}

/** Checks that need no database run concurrently. */
export type MachineCheck = CheckOf<CheckContext>

/** Checks of the database run one after the other, so that they leave connections to the service. */
export type DatabaseCheck = CheckOf<DatabaseContext> & {
  /** Whether the check reads tables, and is skipped until all migrations have run. */
  needsSchema?: true
  /** Whether the check takes too long for a page. */
  isExpensive?: true
}
