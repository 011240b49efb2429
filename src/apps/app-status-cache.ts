import type { Database } from '../db/database.ts'
import { scopesOf } from './rules/scopes.ts'
import { isEnabled, listExceptionalApps } from './queries.ts'

export type AppStatus = {
  enabled: boolean
  requestsPerMinute: number | undefined
  /** Tokens got with an older secret are refused. */
  oldestSecretGeneration: number
  /** All it may hold now, when its tokens may hold more; undefined: they do not. */
  scopes: ReadonlySet<string> | undefined
}

/**
 * What every request needs to know of its app, without a query: only the exceptions are cached, so that the map stays
 * small however many apps there are.
 */
export class AppStatusCache {
  #exceptions: ReadonlyMap<string, AppStatus> = new Map()

  /** @returns undefined for an app like most, enabled and without a limit of its own */
  get(clientId: string): AppStatus | undefined {
    return this.#exceptions.get(clientId)
  }

  /** Reads the exceptions anew: at the start, and after each change of an app. */
  async reload(db: Database) {
    const rows = await listExceptionalApps(db)
    this.#exceptions = new Map(
      rows.map((app) => [
        app.client_id,
        {
          enabled: isEnabled(app),
          requestsPerMinute: app.requests_per_minute ?? undefined,
          oldestSecretGeneration: app.oldest_secret_generation,
          scopes: app.are_tokens_checked ? new Set(scopesOf(app)) : undefined,
        },
      ]),
    )
  }
}
