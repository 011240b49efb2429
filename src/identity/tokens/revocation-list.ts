import type { Database } from '../../db/database.ts'
import { listRecentBans, listRevocations } from '../provider/storage/revocation-queries.ts'

/** Holds in memory the access tokens that were revoked before they expired, so that every request can be checked. */
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

  /** Reloads the list: at startup and after each revocation. */
  async reload(db: Database) {
    const rows = await listRevocations(db)
    const subjectsOf = (subjectKind: string) =>
      new Set(rows.filter(({ kind }) => kind === subjectKind).map(({ subject }) => subject))
    this.#grants = subjectsOf('grant')
    this.#apps = subjectsOf('app')
    this.#tokens = subjectsOf('token')
  }

  async reloadBans(db: Database) {
    this.#bannedAccounts = new Set(await listRecentBans(db))
  }
}
