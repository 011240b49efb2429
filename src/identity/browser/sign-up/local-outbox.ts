import { join } from 'node:path'
import { isLoopback } from '../../../kernel/loopback.ts'

/** Returns the folder of unsent mails on a developer's own machine; undefined on a public host. */
export const localOutboxOf = ({
  smtpUrl,
  authUrl,
  dataDir,
}: {
  smtpUrl: string | undefined
  authUrl: string
  dataDir: string
}): string | undefined =>
  smtpUrl === undefined && isLoopback(new URL(authUrl).hostname)
    ? join(dataDir, 'outbox')
    : undefined
