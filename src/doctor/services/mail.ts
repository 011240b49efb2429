import { verifyMailServer } from '../../accounts/mail/outbox/transport.ts'
import type { MachineCheck } from '../check.ts'
import { explainMailFailure } from './mail-failure.ts'

/** Time, in milliseconds, after which a silent mail server counts as failed. */
const TIMEOUT_MS = 4_000

/** Connects to the mail server and signs in, without sending an email. */
export const mailCheck: MachineCheck = {
  id: 'mail',
  applies: ({ config }) => config.smtpUrl !== undefined,
  async run({ config: { smtpUrl = '' } }) {
    try {
      await verifyMailServer(smtpUrl, TIMEOUT_MS)
      return []
    } catch (error) {
      return [explainMailFailure(error)]
    }
  },
}
