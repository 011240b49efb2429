import { join } from 'node:path'
import { isLoopback } from '../../kernel/loopback.ts'

/** Folder in which a developer finds the mails of their own machine; a public host never names it. */
export const localOutboxOf = ({
  smtpUrl,
  authUrl,
  dataDir,
}: {
  smtpUrl: string | undefined
  authUrl: string
  dataDir: string
}): string | undefined =>
  smtpUrl === undefined && isLoopback(new URL(authUrl).hostname) ? join(dataDir, 'outbox') : undefined
