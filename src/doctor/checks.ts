import type { DatabaseCheck, MachineCheck } from './check.ts'
import { clockCheck } from './database/clock.ts'
import { deletionsCheck } from './database/deletions.ts'
import { embeddedCheck } from './database/embedded.ts'
import { indexesCheck } from './database/indexes.ts'
import { poolerCheck } from './database/pooler.ts'
import { replicasCheck } from './database/replicas.ts'
import { rightsCheck } from './database/rights.ts'
import { serverCheck } from './database/server.ts'
import { sessionsCheck } from './database/sessions.ts'
import { tablesCheck } from './database/tables.ts'
import { upkeepCheck } from './database/upkeep.ts'
import { diskCheck } from './machine/disk.ts'
import { filesCheck } from './machine/files.ts'
import { processCheck } from './machine/process.ts'
import { settingsCheck } from './machine/settings.ts'
import { backupsCheck } from './services/backups.ts'
import { bucketCheck } from './services/bucket.ts'
import { importsCheck } from './services/imports.ts'
import { issuerCheck } from './services/issuer.ts'
import { keysCheck } from './services/keys.ts'
import { mailCheck } from './services/mail.ts'
import { outboxCheck } from './services/outbox.ts'
import { providersCheck } from './services/providers.ts'
import { proxyCheck } from './services/proxy.ts'
import { redisCheck } from './services/redis.ts'
import { signUpCheck } from './services/sign-up.ts'
import { uploadsCheck } from './services/uploads.ts'

/** Checks that need no database, in the order of the report. */
export const MACHINE_CHECKS: MachineCheck[] = [
  settingsCheck,
  filesCheck,
  diskCheck,
  processCheck,
  issuerCheck,
  redisCheck,
  bucketCheck,
  mailCheck,
  providersCheck,
]

/** Checks that need the database, in the order of the report. Connections and migrations are checked before them. */
export const DATABASE_CHECKS: DatabaseCheck[] = [
  rightsCheck,
  serverCheck,
  indexesCheck,
  tablesCheck,
  sessionsCheck,
  poolerCheck,
  replicasCheck,
  clockCheck,
  deletionsCheck,
  upkeepCheck,
  embeddedCheck,
  keysCheck,
  proxyCheck,
  outboxCheck,
  importsCheck,
  uploadsCheck,
  backupsCheck,
  signUpCheck,
]
