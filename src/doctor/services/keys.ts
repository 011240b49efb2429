import { isUnavailable } from '../../kernel/is-unavailable.ts'
import { countUnsealedKeys, listSigningKeys } from '../../identity/tokens/keys.ts'
import { listKeyAges } from '../../operations/database-health-queries.ts'
import type { DatabaseCheck } from '../check.ts'
import { fault, warning, type Finding } from '../finding.ts'
import { detailOf } from '../why.ts'

const DAY_MS = 86_400_000

/** Checks that the signing keys can be decrypted with `SECRET_KEY`, and how old the keys are. */
export const keysCheck: DatabaseCheck = {
  id: 'keys',
  needsSchema: true,
  async run({ db, config: { secretKey }, limits, now }) {
    try {
      await listSigningKeys(db, secretKey)
    } catch (error) {
      if (isUnavailable(error)) throw error
      return [fault('keys.unreadable', { detail: detailOf(error) })]
    }
    const findings: Finding[] = []
    if (secretKey !== undefined && (await countUnsealedKeys(db)) > 0)
      findings.push(warning('keys.unsealed'))
    const active = (await listKeyAges(db)).filter((key) => key.retired_at === null)
    const created = active.map((key) => key.created_at.getTime())
    const days = Math.floor((now() - Math.min(...created)) / DAY_MS)
    if (days >= limits.keyDays) findings.push(warning('keys.old', { params: { days } }))
    return findings
  },
}
