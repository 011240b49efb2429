import { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { newToken } from '../../kernel/opaque-tokens.ts'
import type { Account } from '../../accounts/queries.ts'
import { findPageAccount } from '../../accounts/preferences/queries.ts'
import { recordSignIn, type RecordedSignIn } from '../../accounts/sign-in/sign-in-queries.ts'
import { originOf } from '../../audit/origin-of.ts'
import type { Database } from '../../db/database.ts'
import type { PageViewer } from '../../ui/page/site.ts'
import { isActive, type ClaimsAccount } from '../claims.ts'
import type { Identity } from '../identity.ts'
import { SESSION_LIFETIME_SECONDS } from '../lifetimes.ts'
import { SESSION_COOKIE } from '../provider/patches/stable-session-id.ts'
import { takePrefetched, withPrefetchedRows } from '../provider/storage/prefetched-rows.ts'
import { endSessions } from '../provider/storage/session-queries.ts'

/** Sign-in of a browser. */
export type BrowserSession = {
  accountId: number
  /** Public id of the session. Grants no access. */
  uid: string
  /** Time of the sign-in in seconds since 1970, and its methods (RFC 8176). */
  signedInAt: number
  methods: string[]
}

/** Session with the account's public fields. */
export type CurrentSession = BrowserSession & {
  account: Pick<ClaimsAccount, 'name' | 'email' | 'picture'>
}

/**
 * Authentication method for the ID token's `amr` (RFC 8176). `fed`, a sign-in through another provider, is not
 * registered but usual.
 */
export type SignInMethod = 'pwd' | 'otp' | 'hwk' | 'fed'

/** Browser sessions. They are sessions of the OpenID provider, so that our pages and apps share one sign-in. */
export class BrowserSessions {
  readonly #db: Database
  readonly #identity: Identity

  constructor(db: Database, identity: Identity) {
    this.#db = db
    this.#identity = identity
  }

  /** @returns undefined also if the account is gone, banned or scheduled for deletion */
  async current(request: FastifyRequest): Promise<CurrentSession | undefined> {
    return withPrefetchedRows(async () => {
      const { session } = await this.#read(request)
      const { accountId } = session
      const account = accountId === undefined ? undefined : takePrefetched('account', accountId)
      return account && isActive(account) ? { ...toBrowserSession(session), account } : undefined
    })
  }

  /** Returns the stored session, whatever the state of the account. */
  async stored(request: FastifyRequest): Promise<BrowserSession | undefined> {
    const { session } = await this.#read(request)
    return session.accountId === undefined ? undefined : toBrowserSession(session)
  }

  /**
   * Signs the account in, and signs out any other account. Always sets a new cookie, to prevent session fixation.
   *
   * @param interaction id of the interaction that is waiting for the sign-in
   * @param device token of the device cookie, if the browser sent one
   * @returns undefined without a sign-in if the account has been changed since the user authenticated
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
    const canReuse = current.accountId === undefined || current.accountId === accountId
    if (!canReuse) {
      await this.#end(current)
      if (interaction !== undefined) await this.#unbind(interaction, current.uid)
    }
    const session = canReuse ? current : new provider.Session()
    session.loginAccount({ accountId, amr: methods })
    const isNew = session.exp === undefined
    const expiresAt = new Date(Date.now() + SESSION_LIFETIME_SECONDS * 1_000)
    session.exp = Math.floor(expiresAt.getTime() / 1_000)
    // An earlier session of this browser also gets a new id.
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
        lifetimeSeconds: SESSION_LIFETIME_SECONDS,
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

  /** Reads the session through the provider. Fastify writes the cookies that the provider sets. */
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

  /** Detaches an interaction from the account it began with, so that it can continue with another account. */
  async #unbind(interaction: string, uid: string) {
    const found = await this.#identity.provider().Interaction.find(interaction)
    if (found?.session?.uid !== uid) return
    // as: the types declare it as read-only
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

/** Serializes a session of the library for the database. */
async function payloadOf(session: object): Promise<string> {
  // as: an internal that the types omit
  const { getValueAndPayload } = session as { getValueAndPayload(): Promise<{ payload: object }> }
  const { payload } = await getValueAndPayload.call(session)
  return JSON.stringify({ ...payload, jti: undefined })
}

/**
 * Returns a function that resolves a page's viewer. It does not query the database if the request has no session
 * cookie.
 */
export function viewerResolver(db: Database, identity: Identity) {
  const sessions = new BrowserSessions(db, identity)
  return async (request: FastifyRequest): Promise<PageViewer | undefined> => {
    const name = identity.provider().cookieName('session')
    if (!request.headers.cookie?.includes(`${name}=`)) return undefined
    const session = await sessions.stored(request)
    const account = session && (await findPageAccount(db, session.accountId))
    if (!account) return undefined
    return {
      accountId: session.accountId,
      signedInAt: session.signedInAt,
      hasPassword: account.has_password,
      name: account.name,
      picture: account.picture,
      role: account.role,
      nsfw: account.shows_nsfw,
      showsSpoilers: account.shows_spoilers,
      titles: account.title_preference,
      timeZone: account.time_zone ?? undefined,
    }
  }
}
