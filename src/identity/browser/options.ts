import type { Database } from '../../db/database.ts'
import type { Identity } from '../identity.ts'
import type { BrowserSessions } from './browser-session.ts'

/** What the pages of people's accounts work with. */
export type BrowserOptions = {
  db: Database
  identity: Identity
  sessions: BrowserSessions
  authUrl: string
  secretKey: string | undefined
  /** Where people write to who cannot sign in any more: `mailto:` or https. */
  securityContact: string
  /** Has the outbox looked at now: a mail was just added. */
  wakeOutbox: () => void
  /** Folder of unsent mails if only this machine can reach the server; otherwise undefined. */
  localOutbox: string | undefined
}
