import type { Database } from '../../../db/database.ts'
import { ANONYMOUS_SESSION_LIFETIME_SECONDS } from '../../lifetimes.ts'
import { Provider, type LibraryProvider } from '../oidc-provider.ts'
import { insertSession } from '../storage/session-queries.ts'

export const SESSION_COOKIE = { signed: true, httpOnly: true, sameSite: 'lax', path: '/' } as const

/**
 * Keeps the session id across interactions. The library changes it after each one: with two concurrent tabs, the later
 * response would restore a deleted id and sign both out. Here only a sign-in changes it
 * (`identity/browser/browser-session.ts`). Inserts a row only for a new session, so that an ended session stays ended.
 *
 * Upstream: an option not to rotate session ids outside a sign-in, and an adapter method to update a session without
 * inserting it.
 * Tests: `src/identity/attacks/races.test.ts`
 */
export function keepSessionId(provider: LibraryProvider, db: Database) {
  // as: the types omit most of it
  const prototype = provider.Session.prototype as unknown as {
    save(ttl: number): Promise<string>
    persist(): Promise<string>
    resetIdentifier(): void
    id: string
    uid: string
    /** Set once the session has been saved. */
    exp?: number
  }
  prototype.resetIdentifier = () => {}
  const { save } = prototype
  prototype.save = async function saveSession(ttl: number) {
    if (this.exp === undefined) await insertSession(db, this.id, this.uid)
    return save.call(this, ttl)
  }
  const { persist } = prototype
  // A rejected device form gets a new secret even without a session, where the library would fail.
  prototype.persist = async function persistSession() {
    if (this.exp !== undefined) return persist.call(this)
    Provider.ctx?.oidc.cookies.set(provider.cookieName('session'), this.id, SESSION_COOKIE)
    return this.save(ANONYMOUS_SESSION_LIFETIME_SECONDS)
  }
}
