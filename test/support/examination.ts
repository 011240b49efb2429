import { readConfig } from '../../src/config/config.ts'
import { openDatabase, type Database } from '../../src/db/database.ts'
import { LIMITS, type Limits } from '../../src/doctor/check.ts'
import { examine, type CheckResult } from '../../src/doctor/examine.ts'
import type { CheckId, Finding } from '../../src/doctor/finding.ts'
import type { TestDatabase } from './databases.ts'

export type ExaminationOptions = {
  database: Pick<TestDatabase, 'databaseUrl' | 'dataDir'>
  /** Settings besides those of the database. */
  environment?: NodeJS.ProcessEnv
  folder?: string
  limits?: Partial<Limits>
  now?: () => number
  /** Replaces the database. */
  db?: Database | Finding
}

/** Settings of an installation without a fault that a check could find. */
const HARMLESS = { MAX_CONNECTIONS: '100', DATABASE_POOL_SIZE: '2' }

/** Runs all checks like `mokuroku doctor`. */
export async function examineInstallation({
  database,
  environment = {},
  folder = database.dataDir,
  limits = {},
  now = Date.now,
  db,
}: ExaminationOptions): Promise<CheckResult[]> {
  const settings = {
    DATA_DIR: database.dataDir,
    DATABASE_URL: database.databaseUrl,
    ...HARMLESS,
    ...environment,
  }
  const config = readConfig(settings)
  const opened = db === undefined ? await openDatabase(config) : undefined
  try {
    return await examine({
      context: {
        config,
        environment: settings,
        folder,
        engine: config.databaseUrl === undefined ? 'embedded' : 'server',
        limits: { ...LIMITS, ...limits },
        now,
      },
      database: db ?? (opened?.db as Database),
      isThorough: true,
    })
  } finally {
    await opened?.close()
  }
}

/** Returns the codes of the findings of one check, with their level. */
export const codesOf = (results: CheckResult[], id: CheckId): string[] =>
  results
    .filter((result) => result.id === id)
    .flatMap(({ findings }) => findings.map(({ level, code }) => `${level} ${code}`))

/** Returns the first finding with a code. */
export const findingOf = (results: CheckResult[], code: Finding['code']): Finding | undefined =>
  results.flatMap(({ findings }) => findings).find((finding) => finding.code === code)
