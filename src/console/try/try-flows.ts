import {
  createClient,
  getProfile,
  isMokurokuError,
  listCollections,
  listRatings,
  memoryStore,
  search,
  signOut,
  userTokens,
  type App as ClientApp,
  type Client,
  type MokurokuError,
  type TokenStore,
} from '../../../sdk/index.js'
import type { App } from '../../apps/queries.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { fetchAndRecord, type HttpStep, type TryTarget } from './http-step.ts'

/** An app that tries a flow with the client package, and the requests that it has sent. */
export type TryRun = { client: ClientApp & { store: TokenStore }; steps: HttpStep[] }

/** Prepares a run with the app's registered authentication method. Tokens are kept until the run ends. */
export function startTryRun(
  context: PageContext,
  target: TryTarget,
  { client_id: clientId, token_endpoint_auth_method: authentication }: App,
  secret: string,
): TryRun {
  const steps: HttpStep[] = []
  const client = {
    server: target.authUrl,
    clientId,
    ...(authentication !== 'none' && { clientSecret: secret, authentication }),
    store: memoryStore(),
    lock: <T>(_name: string, run: () => Promise<T>) => run(),
    fetch: fetchAndRecord(target, steps, context),
    retries: 0,
  }
  return { client, steps }
}

/**
 * Obtains tokens, calls the API, refreshes the tokens if possible, and finally revokes them.
 *
 * @returns the refusal if no tokens were obtained
 */
export async function tryTokenFlow(
  { client }: TryRun,
  obtain: () => Promise<unknown>,
): Promise<MokurokuError | undefined> {
  const refusal = await sdkRefusalOf(obtain())
  const tokens = await client.store.get()
  if (tokens === undefined) return refusal
  const { access_token: token, refresh_token: refreshToken, scope = '' } = tokens
  try {
    await sdkRefusalOf(callFor(scope.split(' '))(createClient({ ...client, token, cache: false })))
    if (refreshToken !== undefined) await sdkRefusalOf(userTokens(client)({ refused: token }))
  } finally {
    await sdkRefusalOf(signOut(client))
  }
  return undefined
}

/** Returns an API call that the scopes permit. */
function callFor(scopes: string[]): (client: Client) => Promise<unknown> {
  const has = (...names: string[]) => names.some((name) => scopes.includes(name))
  if (has('status:read', 'status:write')) return (client) => listRatings(client, { page_size: 1 })
  if (has('collection:read', 'collection:write')) return (client) => listCollections(client)
  if (has('user:read')) return (client) => getProfile(client)
  if (has('catalog:read', 'catalog:full'))
    return (client) => search(client, { q: 'a', page_size: 1 })
  return (client) => client.send('GET', '/oidc/me')
}

/** Returns the error of a refused call, which its step shows. Rethrows other errors, which are faults of this service. */
export async function sdkRefusalOf(call: Promise<unknown>): Promise<MokurokuError | undefined> {
  try {
    await call
    return undefined
  } catch (error) {
    if (!isMokurokuError(error) || error.cause !== undefined) throw error
    return error
  }
}

/** Describes a refusal by its code and its message. */
export const sdkRefusalText = (
  { messages }: PageContext,
  { code, message }: MokurokuError,
): string =>
  `${messages.console.refusedBy} ${[...new Set([code, message])].join(' · ')}`.slice(0, 500)
