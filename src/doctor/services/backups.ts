import { findBackupPlace } from '../../backup/places/backup-place.ts'
import { findLastBackup } from '../../backup/last-backup-queries.ts'
import { queryRow } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { DatabaseCheck } from '../check.ts'
import { fault, type Finding } from '../finding.ts'

const HOUR_MS = 3_600_000

/** Number of intervals without a backup after which a backup is considered failed. */
const MAX_INTERVALS = 2

const FIND_INSTALLED = statement('doctor.find_installed').returning<{ at: Date | null }>(
  'select min(applied_at) as at from migrations',
)

/** Checks the age of the last backup, if backups are scheduled. */
export const backupsCheck: DatabaseCheck = {
  id: 'backups',
  applies: ({ config }) =>
    findBackupPlace(config) !== undefined && config.backupEveryMs !== undefined,
  needsSchema: true,
  async run({ db, config: { backupEveryMs = Infinity }, now }): Promise<Finding[]> {
    const [last, installed] = [await findLastBackup(db), await queryRow(db, FIND_INSTALLED, [])]
    const since = last?.takenAt ?? installed?.at
    const age = since ? now() - since.getTime() : 0
    if (age < MAX_INTERVALS * backupEveryMs) return []
    return [
      last
        ? fault('backups.old', { params: { hours: Math.floor(age / HOUR_MS) } })
        : fault('backups.none'),
    ]
  },
}
