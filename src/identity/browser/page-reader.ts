import type { FastifyRequest } from 'fastify'
import { findPageAccount } from '../../accounts/preferences/queries.ts'
import type { Database } from '../../db/database.ts'
import type { PageReader } from '../../pages/site.ts'
import type { Identity } from '../identity.ts'
import { BrowserSessions } from './browser-session.ts'

/** Who is signed in with the browser that sent a request; asks nobody of one that shows no session. */
export function pageReader(db: Database, identity: Identity) {
  const sessions = new BrowserSessions(db, identity)
  return async (request: FastifyRequest): Promise<PageReader | undefined> => {
    const name = identity.provider().cookieName('session')
    if (!request.headers.cookie?.includes(`${name}=`)) return undefined
    const accountId = await sessions.accountOf(request)
    const account = accountId === undefined ? undefined : await findPageAccount(db, accountId)
    if (accountId === undefined || !account) return undefined
    return {
      accountId,
      name: account.name,
      picture: account.picture,
      nsfw: account.shows_nsfw,
      showsSpoilers: account.shows_spoilers,
      timeZone: account.time_zone ?? undefined,
    }
  }
}
