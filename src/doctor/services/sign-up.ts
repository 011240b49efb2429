import { listAdministrators } from '../../accounts/role-queries.ts'
import type { DatabaseCheck } from '../check.ts'
import { warning } from '../finding.ts'

/** Reports sign-ups that no one can approve. */
export const signUpCheck: DatabaseCheck = {
  id: 'sign_up',
  applies: ({ config }) => config.signUp === 'approval',
  needsSchema: true,
  async run({ db }) {
    const administrators = await listAdministrators(db)
    return administrators.length === 0 ? [warning('sign_up.no_administrator')] : []
  },
}
