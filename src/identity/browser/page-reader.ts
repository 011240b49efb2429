import type { FastifyRequest } from 'fastify'
import { findPageAccount } from '../../accounts/preferences/queries.ts'
import type { Database } from '../../db/database.ts'
import type { PageReader } from '../../ui/page/site.ts'
import type { Identity } from '../identity.ts'
import { BrowserSessions } from './browser-session.ts'

/** Who is signed in with the browser that sent a request; asks nobody of one that shows no session. */
export function pageReader(db: Database, identity: Identity) {
  const sessions = new BrowserSessions(db, identity)
  return async (request: FastifyRequest): Promise<PageReader | undefined> => {
    const name = identity.provider().cookieName('session')
    if (!request.headers.cookie?.includes(`${name}=`)) return undefined
    const session = await sessions.stored(request)
    const account = session && (await findPageAccount(db, session.accountId))
    if (!account) return undefined
    return {
      accountId: session.accountId,
      signedInAt: session.at,
      name: account.name,
      picture: account.picture,
      role: account.role,
      nsfw: account.shows_nsfw,
      showsSpoilers: account.shows_spoilers,
      timeZone: account.time_zone ?? undefined,
    }
  }
}
