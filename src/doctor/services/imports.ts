import { listImportStates } from '../../operations/database-health-queries.ts'
import type { DatabaseCheck } from '../check.ts'
import { warning, type Finding } from '../finding.ts'

const DAY_MS = 86_400_000

/** Reports sources whose last import failed or was refused, and sources whose last update is old. */
export const importsCheck: DatabaseCheck = {
  id: 'imports',
  needsSchema: true,
  async run({ db, limits, now }) {
    const states = await listImportStates(db)
    return states.flatMap(({ source, succeeded_at, failed_run, failed_outcome }): Finding[] => {
      if (failed_run !== null)
        return [
          warning(failed_outcome === 'refused' ? 'imports.refused' : 'imports.failed', {
            params: { source, run: failed_run },
          }),
        ]
      const days = succeeded_at === null ? 0 : Math.floor((now() - succeeded_at.getTime()) / DAY_MS)
      return days >= limits.importDays ? [warning('imports.old', { params: { source, days } })] : []
    })
  },
}
