import { hearsNotifications } from '../../db/server/listen-probe.ts'
import type { DatabaseCheck } from '../check.ts'
import { warning } from '../finding.ts'

/** Finds a connection pooler that mixes sessions: it accepts LISTEN, but delivers no notification. */
export const poolerCheck: DatabaseCheck = {
  id: 'pooler',
  applies: ({ config }) => config.databaseUrl !== undefined,
  async run({ config: { databaseUrl = '', databaseDirectUrl = databaseUrl } }) {
    return (await hearsNotifications(databaseDirectUrl)) ? [] : [warning('pooler.mixes_sessions')]
  },
}
