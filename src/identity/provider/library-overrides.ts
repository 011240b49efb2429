import type { KoaContextWithOIDC } from 'oidc-provider'
import { hashSecret, NO_SECRET_HASH, secretHashesMatch } from '../../apps/secrets.ts'
import type { Database } from '../../db/database.ts'
import { NOBODYS_SESSION_LIFETIME } from '../lifetimes.ts'
import { PREVIOUS_SECRET, SECRET_GENERATION } from './clients.ts'
import { errors, Provider } from './oidc-provider.ts'
import { insertSession } from './session-queries.ts'

/** Where the library has no option for what §5 asks, its prototypes are changed. */

type OpenIdProvider = InstanceType<typeof Provider>

export const SESSION_COOKIE = { signed: true, httpOnly: true, sameSite: 'lax', path: '/' } as const

/** §5.4: exactly the registered method. By default Basic and post are interchangeable. The stored secret is a hash. */
export function checkSecretsStrictly(provider: OpenIdProvider) {
  provider.Client.prototype.compareClientSecret = function compareClientSecret(presented: string) {
    const basic = Provider.ctx?.headers.authorization !== undefined
    const method = basic ? 'client_secret_basic' : 'client_secret_post'
    if (this.tokenEndpointAuthMethod !== method || this.clientSecret === undefined) return false
    const previous = this[PREVIOUS_SECRET]
    // Both are compared always: the time tells nothing of which one it was.
    const hash = hashSecret(presented)
    const matches = secretHashesMatch(hash, this.clientSecret)
    const matchesPrevious = secretHashesMatch(hash, typeof previous === 'string' ? previous : NO_SECRET_HASH)
    if (matchesPrevious && !matches && Provider.ctx) withPreviousSecret.add(Provider.ctx.oidc)
    return matches || matchesPrevious
  }
}

/** Requests of apps that have shown the secret before the one they have now. */
const withPreviousSecret = new WeakSet<object>()

/** How often the app's secret was rotated before the one it has shown in this request. */
export function generationOfSecret(oidc: KoaContextWithOIDC['oidc']): number {
  const generation = oidc.client?.[SECRET_GENERATION]
  if (typeof generation !== 'number') return 0
  return withPreviousSecret.has(oidc) ? generation - 1 : generation
}

/** §5.2: to the letter, and by our rules for what may be registered (apps/redirect-uris.ts), which the library's would narrow. */
export function compareRedirectUrisExactly(provider: OpenIdProvider) {
  provider.Client.prototype.redirectUriAllowed = function redirectUriAllowed(uri: string) {
    return this.redirectUris?.includes(uri) === true
  }
  // as: an internal the types leave out; a test of custom schemes holds it in place
  const { Schema } = provider.Client as unknown as {
    Schema: { prototype: { redirectUris(): void; postLogoutRedirectUris(): void } }
  }
  Schema.prototype.redirectUris = () => {}
  Schema.prototype.postLogoutRedirectUris = () => {}
}

/**
 * A code is good for the redirect URIs that its app has now: one that was answered in the moment in which its own was taken
 * away comes too late for `endCodesOfOtherUris` (apps/code-queries.ts), and is not found here.
 */
export function refuseCodesOfOtherUris(provider: OpenIdProvider) {
  // as: the types have it for any class that inherits it
  const { AuthorizationCode } = provider as unknown as {
    AuthorizationCode: {
      find(value: string, options?: object): Promise<{ redirectUri?: string } | undefined>
    }
  }
  const find = AuthorizationCode.find.bind(AuthorizationCode)
  AuthorizationCode.find = async (value, options) => {
    const code = await find(value, options)
    const { client } = Provider.ctx?.oidc ?? {}
    const isGone = code?.redirectUri !== undefined && client?.redirectUriAllowed(code.redirectUri) === false
    return isGone ? undefined : code
  }
}

/**
 * §5.3. A request of another flow is refused here for its response_type: the library's next check would find that its
 * answer cannot be in the query, which is true of no answer we give.
 */
export function answerInQueryAlone(provider: OpenIdProvider) {
  provider.Client.prototype.responseModeAllowed = (mode, responseType) => {
    // Undefined: missing, and refused for that.
    if (isOtherResponseType(responseType ?? 'code')) throw new errors.UnsupportedResponseType()
    return mode === undefined || mode === 'query'
  }
}

/** Whether that is another flow than the code flow, the one there is. */
export const isOtherResponseType = (responseType: string) =>
  responseType.split(' ').some((type) => type !== 'code')

/**
 * OpenID Connect Core §3.1.3.6 has `at_hash` optional for the code flow, and some relying parties want it. The library
 * hashes a token that the ID token is given; it only does not give it one.
 */
export function bindIdTokensToAccessTokens(provider: OpenIdProvider) {
  const values = new WeakMap<object, string>()
  // as: the types leave out both
  const { AccessToken, IdToken } = provider as unknown as {
    AccessToken: { prototype: { save(): Promise<string> } }
    IdToken: {
      prototype: {
        ctx?: KoaContextWithOIDC
        set(name: string, value: string): void
        issue(options: { use: string }): Promise<string>
      }
    }
  }
  const { save } = AccessToken.prototype
  AccessToken.prototype.save = async function saveAccessToken() {
    const value = await save.call(this)
    values.set(this, value)
    return value
  }
  const { issue } = IdToken.prototype
  IdToken.prototype.issue = function issueIdToken(options) {
    const accessToken = this.ctx?.oidc.entities.AccessToken
    const value = accessToken && values.get(accessToken)
    if (options.use === 'idtoken' && value !== undefined) this.set('at_hash', value)
    return issue.call(this, options)
  }
}

/**
 * The library gives a session another id after each interaction. Here it gets one when somebody signs in, which is when
 * it matters (identity/browser/browser-session.ts): of two tabs at once the later answer would bring back an id that is gone, and
 * sign both out. And the library would write a session anew that was ended meanwhile, so only a new one gets a row.
 */
export function keepSessionsOnRotation(provider: OpenIdProvider, db: Database) {
  // as: the types leave out most of it
  const prototype = provider.Session.prototype as unknown as {
    save(ttl: number): Promise<string>
    persist(): Promise<string>
    resetIdentifier(): void
    id: string
    uid: string
    /** Of one that was saved before. */
    exp?: number
  }
  prototype.resetIdentifier = () => {}
  const { save } = prototype
  prototype.save = async function saveSession(ttl: number) {
    if (this.exp === undefined) await insertSession(db, this.id, this.uid)
    return save.call(this, ttl)
  }
  const { persist } = prototype
  // A device's form that is refused gets a new secret, also when there was no session: then the library would fail.
  prototype.persist = async function persistSession() {
    if (this.exp !== undefined) return persist.call(this)
    Provider.ctx?.oidc.cookies.set(provider.cookieName('session'), this.id, SESSION_COOKIE)
    return this.save(NOBODYS_SESSION_LIFETIME)
  }
}

/**
 * What a device is given ends with the session that allowed it, so that its code is good only once the session knows the
 * grant. The library writes the session after the code; a device that asks between the two would be told that its code is
 * invalid, and give up. Here the session goes first.
 */
export function saveSessionsBeforeDeviceCodes(provider: OpenIdProvider) {
  // as: the types leave out both
  const { DeviceCode } = provider as unknown as {
    DeviceCode: { prototype: { accountId?: string; save(ttl?: number): Promise<string> } }
  }
  const { save } = DeviceCode.prototype
  DeviceCode.prototype.save = async function saveDeviceCode(ttl) {
    if (this.accountId !== undefined) await Provider.ctx?.oidc.session?.persist()
    return save.call(this, ttl)
  }
}
