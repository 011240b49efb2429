import { AsyncLocalStorage } from 'node:async_hooks'
import type { ClaimedAccount } from '../../claims.ts'
import type { WithOwnerAndGrant, WithSession } from './flow-queries.ts'
import { Provider } from '../oidc-provider.ts'

/** Rows that a statement of a request has read beside what it was for, by what they are and their id. */
type ReadAhead = {
  account: ClaimedAccount
  grant: { payload: string }
  session: { uid: string; payload: string; last_used_at: Date }
  /** The session of the browser itself, as it is stored. */
  own_session: { payload: string }
}

/** Where the context of a request keeps them: a field costs the collector of garbage less than a `WeakMap`. */
const READ_AHEAD = Symbol('read ahead')

type Context = { [READ_AHEAD]?: Map<string, ReadAhead[keyof ReadAhead]> }

/** Of work of our own pages, for which the library has no context. */
const pages = new AsyncLocalStorage<Context>()

/** Of the request under way, where there is one. */
// as: the library's context takes any field
const contextNow = () => (Provider.ctx as Context | undefined) ?? pages.getStore()

/** Does something of our own pages for which rows are kept, as for a request of the library's. */
export const withReadAhead = <Result>(work: () => Promise<Result>): Promise<Result> =>
  pages.run({}, work)

/** Keeps a row for the rest of this request, where there is one. */
export function keepReadAhead<Kind extends keyof ReadAhead>(
  kind: Kind,
  id: string | number,
  row: ReadAhead[Kind],
) {
  const context = contextNow()
  if (context) (context[READ_AHEAD] ??= new Map()).set(`${kind} ${id}`, row)
}

/** What this request has read already. It is there once: who asks again, after a write perhaps, asks the database. */
export function takeReadAhead<Kind extends keyof ReadAhead>(
  kind: Kind,
  id: string,
): ReadAhead[Kind] | undefined {
  const rows = contextNow()?.[READ_AHEAD]
  const key = `${kind} ${id}`
  const row = rows?.get(key)
  rows?.delete(key)
  // as: what was kept under that kind
  return row as ReadAhead[Kind] | undefined
}

export function keepOwnerAndGrant(row: WithOwnerAndGrant) {
  if (row.id !== null) keepReadAhead('account', row.id, row)
  if (row.grant_id !== null) keepReadAhead('grant', row.grant_id, { payload: row.grant_payload })
}

export function keepWhatBelongsTo(token: WithOwnerAndGrant & WithSession) {
  keepOwnerAndGrant(token)
  const { session_uid: uid } = token
  if (uid !== null)
    keepReadAhead('session', uid, {
      uid,
      payload: token.session_payload,
      last_used_at: token.session_used_at,
    })
}
