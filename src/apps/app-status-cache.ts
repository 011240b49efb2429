import type { Database } from '../db/database.ts'
import { scopesOf } from './rules/scopes.ts'
import { isEnabled, listExceptionalApps } from './queries.ts'

export type AppStatus = {
  enabled: boolean
  requestsPerMinute: number | undefined
  /** Tokens issued with an older secret are rejected. */
  oldestSecretGeneration: number
  /** Scopes that the app may currently hold, if live tokens may hold more; otherwise undefined. */
  scopes: ReadonlySet<string> | undefined
}

/**
 * Cache of the app states that every request needs. Only exceptions are cached, so the map stays small however many
 * apps there are.
 */
export class AppStatusCache {
  #exceptions: ReadonlyMap<string, AppStatus> = new Map()

  /** @returns undefined for an ordinary app: enabled and with the default limit */
  get(clientId: string): AppStatus | undefined {
    return this.#exceptions.get(clientId)
  }

  /** Reloads the exceptions, at startup and after each change to an app. */
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
