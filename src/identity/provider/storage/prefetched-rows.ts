import { AsyncLocalStorage } from 'node:async_hooks'
import type { ClaimsAccount } from '../../claims.ts'
import type { AdapterPayload } from 'oidc-provider'
import type { StoredSession, WithOwnerAndGrant, WithSession } from './flow-queries.ts'
import { Provider } from '../oidc-provider.ts'

/** Rows that one statement prefetched, keyed by kind, for later lookups in the same request. */
type PrefetchedRows = {
  account: ClaimsAccount
  grant: { payload: string; expires_in: number }
  session: StoredSession
  /** Session of the browser, with its times shifted to the clock of this process. */
  own_session: { payload: AdapterPayload }
}

/** Key in the request context. A field there causes less garbage collection than a `WeakMap`. */
const PREFETCHED = Symbol('prefetched rows')

type Context = { [PREFETCHED]?: Map<string, PrefetchedRows[keyof PrefetchedRows]> }

/** Contexts of our own pages, for which the library creates none. */
const pages = new AsyncLocalStorage<Context>()

// as: the library's context accepts any field
const contextNow = () => (Provider.ctx as Context | undefined) ?? pages.getStore()

/** Runs the work of one of our own pages with prefetched rows, as in a request that the library handles. */
export const withPrefetchedRows = <Result>(work: () => Promise<Result>): Promise<Result> =>
  pages.run({}, work)

/** Stores a row for the rest of the request. */
export function storePrefetched<Kind extends keyof PrefetchedRows>(
  kind: Kind,
  id: string | number,
  row: PrefetchedRows[Kind],
) {
  const context = contextNow()
  if (context) (context[PREFETCHED] ??= new Map()).set(`${kind} ${id}`, row)
}

/** Returns a prefetched row once. Later lookups, perhaps after a write, query the database. */
export function takePrefetched<Kind extends keyof PrefetchedRows>(
  kind: Kind,
  id: string,
): PrefetchedRows[Kind] | undefined {
  const rows = contextNow()?.[PREFETCHED]
  const key = `${kind} ${id}`
  const row = rows?.get(key)
  rows?.delete(key)
  // as: rows are stored under their kind
  return row as PrefetchedRows[Kind] | undefined
}

export function storeOwnerAndGrant(row: WithOwnerAndGrant) {
  if (row.id !== null) storePrefetched('account', row.id, row)
  if (row.grant_id !== null)
    storePrefetched('grant', row.grant_id, {
      payload: row.grant_payload,
      expires_in: row.grant_expires_in,
    })
}

export function storeRelatedRows(token: WithOwnerAndGrant & WithSession) {
  storeOwnerAndGrant(token)
  const { session_uid: uid } = token
  if (uid !== null)
    storePrefetched('session', uid, {
      uid,
      payload: token.session_payload,
      expires_in: token.session_expires_in,
      use_is_due: token.session_use_is_due,
    })
}
