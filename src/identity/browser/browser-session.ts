import { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { newToken } from '../../kernel/opaque-tokens.ts'
import type { Account } from '../../accounts/queries.ts'
import { findPageAccount } from '../../accounts/preferences/queries.ts'
import { recordSignIn, type RecordedSignIn } from '../../accounts/sign-in/sign-in-queries.ts'
import { originOf } from '../../audit/origin-of.ts'
import type { Database } from '../../db/database.ts'
import type { PageReader } from '../../ui/page/site.ts'
import { isActive, type ClaimsAccount } from '../claims.ts'
import type { Identity } from '../identity.ts'
import { SESSION_LIFETIME_SECONDS } from '../lifetimes.ts'
import { SESSION_COOKIE } from '../provider/patches/stable-session-id.ts'
import { takePrefetched, withPrefetchedRows } from '../provider/storage/prefetched-rows.ts'
import { endSessions } from '../provider/storage/session-queries.ts'

/** Who is signed in with a browser, and how. */
export type BrowserSession = {
  accountId: number
  /** Names the session; opens nothing. */
  uid: string
  /** When and how they proved it: seconds since 1970, and RFC 8176's names. */
  signedInAt: number
  methods: string[]
}

/** The same with whose it is. */
export type CurrentSession = BrowserSession & {
  account: Pick<ClaimsAccount, 'name' | 'email' | 'picture'>
}

/** How somebody proved who they are (RFC 8176), for the ID token's `amr`. */
export type SignInMethod = 'pwd' | 'otp' | 'hwk'

/**
 * The session of a browser: the OpenID provider's own, so that signing in on our pages and at an app is one thing.
 */
export class BrowserSessions {
  readonly #db: Database
  readonly #identity: Identity

  constructor(db: Database, identity: Identity) {
    this.#db = db
    this.#identity = identity
  }

  /** Undefined as well when the account is gone, banned or waits for its deletion. */
  async current(request: FastifyRequest): Promise<CurrentSession | undefined> {
    return withPrefetchedRows(async () => {
      const { session } = await this.#read(request)
      const { accountId } = session
      const account = accountId === undefined ? undefined : takePrefetched('account', accountId)
      return account && isActive(account) ? { ...toBrowserSession(session), account } : undefined
    })
  }

  /** The session as it is stored, whatever has become of the account. */
  async stored(request: FastifyRequest): Promise<BrowserSession | undefined> {
    const { session } = await this.#read(request)
    return session.accountId === undefined ? undefined : toBrowserSession(session)
  }

  /**
   * Signs the account in, in place of whoever was signed in before. The cookie is always a new one, so that nobody can
   * have put it there.
   *
   * @param interaction the request of an app that waits for it, if there is one
   * @param device what the browser is recognized by, if it showed anything
   * @returns undefined when the account was changed since they proved who they are: nobody is signed in
   */
  async signIn(
    request: FastifyRequest,
    reply: FastifyReply,
    account: Account,
    {
      methods,
      interaction,
      device,
    }: { methods: SignInMethod[]; interaction: string | undefined; device: string | undefined },
  ): Promise<RecordedSignIn | undefined> {
    const provider = this.#identity.provider()
    const { context, cookieHeader, session: current } = await this.#read(request)
    const accountId = String(account.id)
    const isSame = current.accountId === undefined || current.accountId === accountId
    if (!isSame) {
      await this.#end(current)
      if (interaction !== undefined) await this.#unbind(interaction, current.uid)
    }
    const session = isSame ? current : new provider.Session()
    session.loginAccount({ accountId, amr: methods })
    const isNew = session.exp === undefined
    const expiresAt = new Date(Date.now() + SESSION_LIFETIME_SECONDS * 1_000)
    session.exp = Math.floor(expiresAt.getTime() / 1_000)
    // One that was there before, signed in or not, gets another id.
    const id = newToken()
    const recorded = await recordSignIn(this.#db, account, {
      origin: originOf(request),
      methods,
      language: request.page.language,
      device,
      session: {
        id,
        uid: session.uid,
        payload: await payloadOf(session),
        expiresAt,
        isNew,
        signedInFor: interaction,
      },
    })
    if (!recorded) return undefined
    const cookie = { ...SESSION_COOKIE, expires: expiresAt }
    context.cookies.set(provider.cookieName('session'), id, cookie)
    void reply.header('set-cookie', cookieHeader())
    return recorded
  }

  /** Ends the session of this browser, if there is one. */
  async signOut(request: FastifyRequest, reply: FastifyReply) {
    const { context, cookieHeader, session } = await this.#read(request)
    await this.#end(session)
    const name = this.#identity.provider().cookieName('session')
    context.cookies.set(name, null, { signed: true, path: '/' })
    void reply.header('set-cookie', cookieHeader())
  }

  async #end({ accountId, uid }: { accountId?: string | undefined; uid: string }) {
    if (accountId === undefined) return
    this.#identity.notifyAppsOfSignOut(await endSessions(this.#db, Number(accountId), { uid }))
  }

  /** The session as the provider reads it. Cookies are written beside the answer, which is Fastify's to write. */
  async #read({ raw }: FastifyRequest) {
    const provider = this.#identity.provider()
    this.#identity.prepareRequest(raw)
    const response = new ServerResponse(raw)
    const context = provider.createContext(raw, response)
    context.cookies.secure = provider.issuer.startsWith('https:')
    const session = await provider.Session.get(context)
    const cookieHeader = () => {
      const header = response.getHeader('set-cookie')
      return Array.isArray(header) ? header : [String(header)]
    }
    return { context, cookieHeader, session }
  }

  /** The request began under the account that was signed in; now it goes on under another. */
  async #unbind(interaction: string, uid: string) {
    const found = await this.#identity.provider().Interaction.find(interaction)
    if (found?.session?.uid !== uid) return
    // as: the types have it read-only
    delete (found as { session?: unknown }).session
    await found.persist()
  }
}

function toBrowserSession(session: {
  accountId?: string | undefined
  uid: string
  loginTs?: number | undefined
  amr?: string[] | undefined
}): BrowserSession {
  const { accountId, uid, loginTs = 0, amr = [] } = session
  return { accountId: Number(accountId), uid, signedInAt: loginTs, methods: amr }
}

/** A session of the library's as it is stored. */
async function payloadOf(session: object): Promise<string> {
  // as: an internal the types leave out
  const { getValueAndPayload } = session as { getValueAndPayload(): Promise<{ payload: object }> }
  const { payload } = await getValueAndPayload.call(session)
  return JSON.stringify({ ...payload, jti: undefined })
}

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
      signedInAt: session.signedInAt,
      name: account.name,
      picture: account.picture,
      role: account.role,
      nsfw: account.shows_nsfw,
      showsSpoilers: account.shows_spoilers,
      timeZone: account.time_zone ?? undefined,
    }
  }
}
