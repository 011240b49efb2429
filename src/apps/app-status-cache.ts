import type { Database } from '../db/database.ts'
import { isEnabled, listExceptionalApps } from './queries.ts'

export type Standing = { enabled: boolean; requestsPerMinute: number | undefined }

/**
 * What must be known of an app on every request, without asking the database: only the exceptions are kept, so that the
 * set stays small however many apps there are.
 */
export class AppStatusCache {
  #exceptions: ReadonlyMap<string, Standing> = new Map()

  /** Undefined: an app like most, enabled and without an override. */
  of(clientId: string): Standing | undefined {
    return this.#exceptions.get(clientId)
  }

  /** Reads the exceptions anew; for the start, and each time the apps have changed. */
  async reload(db: Database) {
    const rows = await listExceptionalApps(db)
    this.#exceptions = new Map(
      rows.map((app) => [
        app.client_id,
        { enabled: isEnabled(app), requestsPerMinute: app.requests_per_minute ?? undefined },
      ]),
    )
  }
}
