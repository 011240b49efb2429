import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import { isLoopback } from '../../kernel/networks.ts'
import type { UploadBucket } from '../../uploads/upload-bucket.ts'
import type { Identity } from '../identity.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'
import type { BrowserSessions } from './browser-session.ts'

/** Options for the sign-in and account pages. */
export type BrowserOptions = {
  db: Database
  uploadBucket: UploadBucket | undefined
  identity: Identity
  sessions: BrowserSessions
  authUrl: string
  /** Public URL of the user API, for examples. */
  apiUrl: string
  /** Maximum lifetime of new personal access tokens, in days; undefined for none. */
  personalTokenDays: number | undefined
  secretKey: string | undefined
  /** Contact for users who can no longer sign in: a `mailto:` or https URL. */
  contact: string
  signUp: Config['signUp']
  /** Domains of the addresses that users may choose; empty for all. */
  signUpMailDomains: readonly string[]
  /** Makes the outbox send new emails at once. */
  wakeOutbox: () => void
  /** Folder of unsent emails if only this machine can reach the server, otherwise undefined. */
  localOutbox: string | undefined
  /** Other providers with which users can sign in. */
  upstream: readonly UpstreamClient[]
  log: Logger
}

export const PUBLIC_PAGE = { config: { access: 'public' }, schema: { hide: true } } as const

/** Returns the folder of unsent emails on a developer's own machine; undefined on a public host. */
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
