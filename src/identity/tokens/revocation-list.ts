import type { Database } from '../../db/database.ts'
import { listRecentBans, listWithdrawals } from '../provider/queries.ts'

/**
 * Access tokens that are refused before their time, kept in memory so that it is asked on every request. Only what was
 * withdrawn within the life of a token is here.
 */
export class RevocationList {
  #grants: ReadonlySet<string> = new Set()
  #apps: ReadonlySet<string> = new Set()
  #tokens: ReadonlySet<string> = new Set()
  #bannedAccounts: ReadonlySet<string> = new Set()

  isBanned(accountId: string) {
    return this.#bannedAccounts.has(accountId)
  }

  /** @param grantId undefined: of an application token */
  isRevoked({
    clientId,
    tokenId,
    grantId,
  }: {
    clientId: string
    tokenId: string
    grantId: string | undefined
  }) {
    return (
      (grantId !== undefined && this.#grants.has(grantId)) ||
      this.#apps.has(clientId) ||
      this.#tokens.has(tokenId)
    )
  }

  /** Reads them anew; for the start, and each time there is a new one. */
  async reload(db: Database) {
    const rows = await listWithdrawals(db)
    const of = (wanted: string) =>
      new Set(rows.filter(({ kind }) => kind === wanted).map(({ subject }) => subject))
    this.#grants = of('grant')
    this.#apps = of('app')
    this.#tokens = of('token')
  }

  async reloadBans(db: Database) {
    this.#bannedAccounts = new Set(await listRecentBans(db))
  }
}
