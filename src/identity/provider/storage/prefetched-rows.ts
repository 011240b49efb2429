import { AsyncLocalStorage } from 'node:async_hooks'
import type { ClaimsAccount } from '../../claims.ts'
import type { WithOwnerAndGrant, WithSession } from './flow-queries.ts'
import { Provider } from '../oidc-provider.ts'

/** Rows that a statement of a request has read beside what it was for, by what they are and their id. */
type PrefetchedRows = {
  account: ClaimsAccount
  grant: { payload: string }
  session: { uid: string; payload: string; last_used_at: Date }
  /** The session of the browser itself, as it is stored. */
  own_session: { payload: string }
}

/** Where the context of a request keeps them: a field costs the collector of garbage less than a `WeakMap`. */
const PREFETCHED = Symbol('read ahead')

type Context = { [PREFETCHED]?: Map<string, PrefetchedRows[keyof PrefetchedRows]> }

/** Of work of our own pages, for which the library has no context. */
const pages = new AsyncLocalStorage<Context>()

/** Of the request under way, where there is one. */
// as: the library's context takes any field
const contextNow = () => (Provider.ctx as Context | undefined) ?? pages.getStore()

/** Does something of our own pages for which rows are kept, as for a request of the library's. */
export const withPrefetchedRows = <Result>(work: () => Promise<Result>): Promise<Result> =>
  pages.run({}, work)

/** Keeps a row for the rest of this request, where there is one. */
export function storePrefetched<Kind extends keyof PrefetchedRows>(
  kind: Kind,
  id: string | number,
  row: PrefetchedRows[Kind],
) {
  const context = contextNow()
  if (context) (context[PREFETCHED] ??= new Map()).set(`${kind} ${id}`, row)
}

/** What this request has read already. It is there once: who asks again, after a write perhaps, asks the database. */
export function takePrefetched<Kind extends keyof PrefetchedRows>(
  kind: Kind,
  id: string,
): PrefetchedRows[Kind] | undefined {
  const rows = contextNow()?.[PREFETCHED]
  const key = `${kind} ${id}`
  const row = rows?.get(key)
  rows?.delete(key)
  // as: what was kept under that kind
  return row as PrefetchedRows[Kind] | undefined
}

export function storeOwnerAndGrant(row: WithOwnerAndGrant) {
  if (row.id !== null) storePrefetched('account', row.id, row)
  if (row.grant_id !== null) storePrefetched('grant', row.grant_id, { payload: row.grant_payload })
}

export function storeRelatedRows(token: WithOwnerAndGrant & WithSession) {
  storeOwnerAndGrant(token)
  const { session_uid: uid } = token
  if (uid !== null)
    storePrefetched('session', uid, {
      uid,
      payload: token.session_payload,
      last_used_at: token.session_used_at,
    })
}
