import type { Database } from '../../db/database.ts'
import { listRecentBans, listRevocations } from '../provider/storage/queries.ts'

/**
 * Access tokens that are refused before they expire, in memory, so that every request can be checked against it. It
 * holds only what was revoked within the life of a token.
 */
export class RevocationList {
  #grants: ReadonlySet<string> = new Set()
  #apps: ReadonlySet<string> = new Set()
  #tokens: ReadonlySet<string> = new Set()
  #bannedAccounts: ReadonlySet<string> = new Set()

  isBanned(accountId: string) {
    return this.#bannedAccounts.has(accountId)
  }

  isRevoked({ gid, client_id, jti }: { gid?: string; client_id: string; jti: string }) {
    return (
      (gid !== undefined && this.#grants.has(gid)) ||
      this.#apps.has(client_id) ||
      this.#tokens.has(jti)
    )
  }

  /** Reads the list anew: at the start, and after each revocation. */
  async reload(db: Database) {
    const rows = await listRevocations(db)
    const subjectsOf = (wanted: string) =>
      new Set(rows.filter(({ kind }) => kind === wanted).map(({ subject }) => subject))
    this.#grants = subjectsOf('grant')
    this.#apps = subjectsOf('app')
    this.#tokens = subjectsOf('token')
  }

  async reloadBans(db: Database) {
    this.#bannedAccounts = new Set(await listRecentBans(db))
  }
}
