import type { Configuration, ServerMetadata } from 'openid-client'
import type { UpstreamIdentity } from '../../accounts/credentials/upstream-identity.ts'
import { checkEmail, checkName } from '../../accounts/profile/profile-rules.ts'
import type { UpstreamProvider } from '../../config/config.ts'
import { fetchUpstream } from './fetch-upstream.ts'
import { toUpstreamError, UpstreamError } from './upstream-error.ts'

/** Time, in milliseconds, for all requests that one request of a browser causes. */
const DEADLINE_MS = 10_000

/** Lifetime of a discovery document, in milliseconds. */
const METADATA_LIFETIME_MS = 60 * 60_000

/** Clock skew, in seconds, that is tolerated in ID tokens. */
const CLOCK_TOLERANCE_SECONDS = 30

/** Loaded on first use, because services without providers do not need it. */
const loadLibrary = () => import('openid-client')

type Library = Awaited<ReturnType<typeof loadLibrary>>
type JwksCache = NonNullable<ReturnType<Library['getJwksCache']>>

/** Secrets of a flow, which only its browser has (`flowSecrets`). */
type FlowSecrets = { nonce: string; codeVerifier: string }

export type AuthorizationRequest = FlowSecrets & {
  redirectUri: string
  state: string
  /** Language of the page, for the pages of the provider. */
  language: string
  /** Whether the user must sign in again, although they may have a session. */
  requiresSignIn?: boolean
}

export type AuthorizationResponse = FlowSecrets & {
  /** URL of the callback with its query. */
  url: URL
  state: string
  /** Time since which the user must have signed in, if the provider says when; undefined for any time. */
  signedInSince?: Date | undefined
}

/** A user who has signed in at the provider. */
export type UpstreamUser = Pick<UpstreamIdentity, 'issuer' | 'subject'> & {
  /**
   * Returns the identity with the user's name and address, from the ID token or the userinfo endpoint.
   *
   * @throws {UpstreamError}
   */
  readIdentity(): Promise<UpstreamIdentity>
}

/** Relying party of one provider: OpenID Connect's authorization code flow with PKCE, `state`, `nonce` and `iss`. */
export class UpstreamClient {
  readonly provider: UpstreamProvider
  #metadata: { value: ServerMetadata; expiresAt: number } | undefined
  #discovery: Promise<ServerMetadata> | undefined
  #jwks: JwksCache | undefined
  readonly #deadlineMs: number
  readonly #now: () => number

  /** @param options `now` returns the time in milliseconds since 1970 */
  constructor(provider: UpstreamProvider, { deadlineMs = DEADLINE_MS, now = Date.now } = {}) {
    this.provider = provider
    this.#now = now
    this.#deadlineMs = deadlineMs
  }

  /**
   * Returns the URL at which the user signs in.
   *
   * @throws {UpstreamError}
   */
  async authorizationUrl(request: AuthorizationRequest): Promise<URL> {
    try {
      const library = await loadLibrary()
      const configuration = await this.#configure(library)
      return library.buildAuthorizationUrl(configuration, {
        redirect_uri: request.redirectUri,
        scope: 'openid email profile',
        state: request.state,
        nonce: request.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(request.codeVerifier),
        code_challenge_method: 'S256',
        ui_locales: request.language,
        // Has the same effect as `prompt=login`, which some providers reject (OpenID Connect Core §3.1.2.1).
        ...(request.requiresSignIn && { max_age: '0' }),
      })
    } catch (error) {
      throw this.#failed(error)
    }
  }

  /**
   * Redeems the code of an authorization response, and verifies the ID token.
   *
   * @throws {UpstreamError}
   */
  async redeem({
    url,
    state,
    nonce,
    codeVerifier,
    signedInSince,
  }: AuthorizationResponse): Promise<UpstreamUser> {
    try {
      const library = await loadLibrary()
      const configuration = await this.#configure(library)
      const tokens = await library.authorizationCodeGrant(configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      })
      this.#jwks = library.getJwksCache(configuration)
      const claims = tokens.claims()
      if (!claims) throw new UpstreamError('rejected', 'The provider sent no ID token')
      checkClaims(claims, this.provider.clientId, this.#now())
      if (signedInSince) checkSignInTime(claims.auth_time, signedInSince)
      const { issuer } = this.provider
      const subject = claims.sub
      return {
        issuer,
        subject,
        readIdentity: async () => {
          const needsUserInfo =
            claims['email'] === undefined &&
            configuration.serverMetadata().userinfo_endpoint !== undefined
          const profile = needsUserInfo
            ? await library
                .fetchUserInfo(configuration, tokens.access_token, subject)
                .catch((error: unknown) => {
                  throw toUpstreamError(error)
                })
            : claims
          return toIdentity(issuer, subject, profile)
        },
      }
    } catch (error) {
      throw this.#failed(error)
    }
  }

  /**
   * Downloads the discovery document, and verifies its issuer.
   *
   * @throws the error of the library, or `UnreachableError`, with their causes
   */
  async checkDiscovery(): Promise<void> {
    await this.#fetchMetadata(await loadLibrary(), AbortSignal.timeout(this.#deadlineMs))
  }

  /** Returns a configuration for one request of a browser. All its requests share one deadline. */
  async #configure(library: Library): Promise<Configuration> {
    const deadline = AbortSignal.timeout(this.#deadlineMs)
    const metadata = await this.#discover(library, deadline)
    const { clientId, clientSecret } = this.provider
    const methods = metadata.token_endpoint_auth_methods_supported
    const configuration = new library.Configuration(
      metadata,
      clientId,
      { [library.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      // The default of the specification, for which providers register a client unless told otherwise.
      methods === undefined || methods.includes('client_secret_basic')
        ? library.ClientSecretBasic(clientSecret)
        : library.ClientSecretPost(clientSecret),
    )
    configuration[library.customFetch] = (url, options) => fetchUpstream(url, options, deadline)
    if (this.#allowsHttp) library.allowInsecureRequests(configuration)
    // Verifies the signature although the ID token comes from the token endpoint.
    library.enableNonRepudiationChecks(configuration)
    if (this.#jwks)
      library.setJwksCache(configuration, {
        jwks: this.#jwks.jwks,
        // The library downloads keys again for an unknown key only if the cached ones are a minute old.
        uat: Math.min(this.#jwks.uat, Math.floor(Date.now() / 1_000) - 60),
      })
    return configuration
  }

  /** Returns the provider's metadata. Concurrent calls share one request. */
  async #discover(library: Library, deadline: AbortSignal): Promise<ServerMetadata> {
    if (this.#metadata && this.#metadata.expiresAt > Date.now()) return this.#metadata.value
    this.#discovery ??= this.#fetchMetadata(library, deadline).finally(() => {
      this.#discovery = undefined
    })
    return this.#discovery
  }

  async #fetchMetadata(library: Library, deadline: AbortSignal): Promise<ServerMetadata> {
    const { issuerUrl, clientId } = this.provider
    const configuration = await library.discovery(
      new URL(issuerUrl),
      clientId,
      undefined,
      undefined,
      {
        [library.customFetch]: (url, options) => fetchUpstream(url, options, deadline),
        ...(this.#allowsHttp && { execute: [library.allowInsecureRequests] }),
      },
    )
    const value = configuration.serverMetadata()
    this.#metadata = { value, expiresAt: Date.now() + METADATA_LIFETIME_MS }
    return value
  }

  /** Clears the caches after an invalid response, because the provider may have changed its metadata or keys. */
  #failed(error: unknown): UpstreamError {
    const failed = toUpstreamError(error)
    if (failed.failure === 'rejected') {
      this.#metadata = undefined
      this.#jwks = undefined
    }
    return failed
  }

  /** The settings allow http only on this machine. */
  get #allowsHttp(): boolean {
    return this.provider.issuerUrl.startsWith('http:')
  }
}

/** Checks what the library leaves to the client: `azp` with one audience, and a time of issue in the future. */
function checkClaims(
  { azp, iat, sub }: { azp?: unknown; iat: number; sub: string },
  clientId: string,
  now: number,
) {
  if (azp !== undefined && azp !== clientId)
    throw new UpstreamError('rejected', 'The ID token was issued for another client (azp)')
  if (iat > now / 1_000 + CLOCK_TOLERANCE_SECONDS)
    throw new UpstreamError('rejected', 'The ID token was issued in the future (iat)')
  if (!/^[\x20-\x7e]{1,255}$/.test(sub))
    throw new UpstreamError('rejected', 'The subject is not 1 to 255 ASCII characters')
}

/** Checks the time of the sign-in. Some providers do not send it (decision 0033). */
function checkSignInTime(time: unknown, since: Date) {
  if (typeof time === 'number' && time < since.getTime() / 1_000 - CLOCK_TOLERANCE_SECONDS)
    throw new UpstreamError('stale', 'The user did not sign in again (auth_time)')
}

/** Claims about the user, which may have any type. */
type ProfileClaims = Record<string, unknown> & {
  email?: unknown
  email_verified?: unknown
  name?: unknown
  preferred_username?: unknown
}

function toIdentity(
  issuer: string,
  subject: string,
  { email, email_verified, name, preferred_username }: ProfileClaims,
): UpstreamIdentity {
  const address = typeof email === 'string' ? checkEmail(email) : undefined
  const stored = address?.fault ? undefined : address?.value
  const names = [name, preferred_username].flatMap((text) => {
    const checked = typeof text === 'string' ? checkName(text) : undefined
    return checked && !checked.fault ? [checked.value] : []
  })
  return {
    issuer,
    subject,
    email: stored ?? null,
    email_verified: stored !== undefined && email_verified === true,
    name: names[0] ?? null,
  }
}
