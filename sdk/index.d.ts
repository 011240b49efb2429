import type { components } from './openapi.js'
import type { Operation, PagedOperationId } from './operations.js'

export * from './operations.js'
/** Named schemas of the OpenAPI document, such as `Schemas['Galgame']`. */
export type Schemas = components['schemas']

/** Code of a refusal. The server may add codes: fall back to `status`. */
export type MokurokuErrorCode =
  | components['schemas']['ErrorCode']
  | 'NETWORK'
  | 'TIMEOUT'
  | 'login_required'
  | 'state_mismatch'
  | 'issuer_mismatch'
  | 'invalid_id_token'
  | 'invalid_response'
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'expired_token'
  // Keeps the suggestions above, and permits any other code.
  | (string & {})

/** A request that was refused or failed. `code` says why; `message` is meant for people. */
export class MokurokuError<Code extends string = MokurokuErrorCode> extends Error {
  readonly code: Code
  /** HTTP status; undefined without a response. */
  readonly status?: number
  /** Every invalid field of the request. */
  readonly fieldErrors: components['schemas']['ErrorEnvelope']['error']['field_errors'] & {}
  /** For example `required_scope` or `merged_into`. */
  readonly details: Record<string, unknown>
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
  /** Seconds to wait. */
  readonly retryAfter?: number
  /** Report it to the operator, who finds the request in the log. */
  readonly requestId?: string
  constructor(code: Code, message: string, facts?: Partial<MokurokuError>)
}

/** Whether an error has the code, or is an error of this package. */
export function isMokurokuError<Code extends MokurokuErrorCode>(
  error: unknown,
  code?: Code,
): error is MokurokuError<Code>

type Maybe<T> = T | Promise<T>

/** How requests are sent. Settings apply to every call, options to one. */
export interface RequestOptions {
  /** Aborts the call, and its waits. */
  signal?: AbortSignal | undefined
  /** Maximum time of one request, in milliseconds. Defaults to 30 seconds. */
  timeout?: number
  /** Number of repetitions after temporary failures; calls that are not idempotent are never repeated. Defaults to 3. */
  retries?: number
  /** Maximum `Retry-After`, in seconds, that is waited for. Defaults to 90. */
  maxWait?: number
  /** Replaces `fetch`. */
  fetch?: typeof globalThis.fetch
}

export interface CallOptions extends RequestOptions {
  headers?: Record<string, string>
  /** Asks the server even if a cached response is fresh. */
  revalidate?: boolean
  /** Called with the final response and its parsed body, for headers and for fields of the envelope such as `details`. */
  onResponse?(response: Response, body: unknown): void
}

/** Returns an access token, and a new one instead of a refused one. */
export type TokenSource = (options?: {
  refused?: string | undefined
  signal?: AbortSignal | undefined
}) => Promise<string>

export interface CachedResponse {
  etag: string
  text: string
  /** Time until which the response needs no request, in milliseconds since 1970. */
  until: number
}
export interface ResponseCache {
  get(url: string): Maybe<CachedResponse | undefined>
  set(url: string, entry: CachedResponse): Maybe<void>
}
/** Creates a cache in memory that evicts the entry unused for longest. */
export function memoryCache(maxEntries?: number): ResponseCache

export interface Limiter {
  /** Resolves when the next request may be sent. */
  enter(signal?: AbortSignal): Promise<void>
  /** Ends a request. */
  leave(headers?: Headers): void
}
export type Limits = (audience: string) => Limiter
/** Creates limiters from rate limit headers. Share them between the clients of one app. */
export function createLimits(): Limits

export interface ClientSettings extends RequestOptions {
  /** Origin of the server, such as `https://catalog.example.org`. */
  server: string
  /** Origin of the user API if the server has a separate one. */
  api?: string
  token?: string | TokenSource
  /** Catalog responses by URL; `false` for none. Do not share it between clients with different scopes. */
  cache?: ResponseCache | false
  limits?: Limits
}

export interface Client {
  /** Sends a request that no function covers. `{name}` in the path is filled from the parameters. */
  send(
    method: string,
    path: string,
    parameters?: Record<string, unknown>,
    options?: CallOptions,
  ): Promise<unknown>
}
/** Creates a client of one server, for one app or one of its users. */
export function createClient(settings: ClientSettings): Client

export interface Tokens {
  access_token: string
  token_type: string
  scope?: string
  refresh_token?: string
  id_token?: string
  /** In milliseconds since 1970. */
  expires_at: number
}
export interface TokenStore {
  get(): Maybe<Tokens | undefined>
  set(tokens: Tokens | undefined): Maybe<void>
}
/** Runs one function of a name at a time. */
export type Lock = <T>(name: string, run: () => Promise<T>) => Promise<T>

/** A registered app. */
export interface App extends RequestOptions {
  server: string
  clientId: string
  /** Of a confidential app. Keep it out of anything that users can inspect. */
  clientSecret?: string | undefined
  authentication?: 'client_secret_basic' | 'client_secret_post' | 'none'
  /** Scope of the app's own tokens. */
  scope?: string
  /** Defaults to `{server}/oidc`. */
  issuer?: string
  /** Tokens of the user. */
  store?: TokenStore
  /** Defaults to Web Locks, and to this process where they do not exist. */
  lock?: Lock
}

export function memoryStore(tokens?: Tokens): TokenStore
/** Keeps tokens in `localStorage`, which tabs share, or in `sessionStorage`. */
export function webStore(
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>,
  key?: string,
): TokenStore
export const defaultLock: Lock
/** Returns a source of tokens of the app itself (client credentials). */
export function appTokens(app: App, store?: TokenStore): TokenSource
/** Returns a source of tokens of the user in the app's store, which refreshes them. */
export function userTokens(app: App & { store: TokenStore }): TokenSource
/** Revokes the user's tokens and deletes them from the store. */
export function signOut(app: App & { store: TokenStore }, options?: RequestOptions): Promise<void>

/** What a sign-in must remember until the browser returns. */
export interface PendingSignIn {
  redirectUri: string
  scope: string
  state: string
  nonce: string
  verifier: string
}
/** Starts a sign-in with the authorization code flow and PKCE. Open `url` in the user's browser. */
export function startSignIn(
  app: App,
  request: { redirectUri: string; scope: string; prompt?: string; ui_locales?: string },
): Promise<{ url: string; pending: PendingSignIn }>
/** Finishes a sign-in: checks the response at the redirect URI, redeems the code and stores the tokens. */
export function finishSignIn(
  app: App,
  pending: PendingSignIn,
  redirected: string | URL,
  options?: RequestOptions,
): Promise<Tokens>
/** Returns what the ID token says about the user. */
export function claimsOf(
  tokens: Pick<Tokens, 'id_token'>,
): ({ sub: string; name?: string; email?: string } & Record<string, unknown>) | undefined

export interface Device {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete?: string
  expires_in: number
  interval?: number
}
/** Starts a sign-in on a device without a browser. Show the user `user_code` and `verification_uri`. */
export function startDevice(
  app: App,
  request: { scope: string },
  options?: RequestOptions,
): Promise<Device>
/** Waits until the user has decided on a different device, and stores the tokens. */
export function finishDevice(
  app: App,
  device: Pick<Device, 'device_code' | 'expires_in' | 'interval'>,
  options?: RequestOptions,
): Promise<Tokens>

type ItemOf<Result> = Result extends readonly (infer Item)[]
  ? Item
  : Result extends { items: readonly (infer Item)[] }
    ? Item
    : never
/** Yields every item of a list, page by page. */
export function pages<Id extends PagedOperationId>(
  operation: Operation<Id>,
  client: Client,
  parameters?: Parameters<Operation<Id>>[1],
  options?: CallOptions,
): AsyncGenerator<ItemOf<Awaited<ReturnType<Operation<Id>>>>, void>

export interface FeedPosition {
  /** `id` of the last processed change; 0 for everything. */
  since?: number
  /** `epoch` of the last processed change. */
  epoch?: string | undefined
  limit?: number
}
/** Yields the changes of the catalog after a position. Store `id` and `epoch` of a change once it is processed. */
export function changes(
  client: Client,
  position?: FeedPosition,
  options?: CallOptions & {
    /** Waits for later changes instead of ending. */
    follow?: boolean
    /** Seconds that a request of `follow` waits for a change, at most 60. Defaults to 50. */
    wait?: number
  },
): AsyncGenerator<components['schemas']['CatalogChange'] & { epoch: string }, void>
