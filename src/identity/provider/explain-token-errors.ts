import type { errors, KoaContextWithOIDC } from 'oidc-provider'
import { findApps, isEnabled, type App } from '../../apps/queries.ts'
import { hashSecret, isClientId, NO_SECRET_HASH, secretHashesMatch } from '../../apps/secrets.ts'
import { hashToken } from '../../accounts/opaque-tokens.ts'
import type { Database } from '../../db/database.ts'
import type { Provider } from './oidc-provider.ts'
import { findExpiredClient } from './queries.ts'

type Explain = (ctx: KoaContextWithOIDC) => Promise<void> | undefined

const ABOUT_CLIENTS = new Set(['token', 'introspection', 'revocation', 'device_authorization'])

/** Explanations of refused grants, by the library's message. */
const GRANT_REASONS: readonly [RegExp, string][] = [
  [/already (used|consumed)/, 'The code or refresh token was already used.'],
  [/expired/, 'The code or refresh token has expired.'],
  [/redirect_uri mismatch/, 'redirect_uri differs from that of the authorization request.'],
  [/client mismatch/, 'The code or refresh token was issued to another app.'],
  [
    /code_verifier/,
    'code_verifier is missing, or does not match the code_challenge of the authorization request.',
  ],
  [/not found/, 'The code or refresh token is unknown, or its grant was revoked.'],
]

/**
 * Adds the reason to errors of the token endpoint and similar endpoints once the caller has authenticated as the app. Other
 * callers always get the same error, so they learn nothing by guessing.
 */
export function explainTokenErrors(provider: InstanceType<typeof Provider>, db: Database): Explain {
  const refused = new WeakMap<object, errors.OIDCProviderError>()
  provider.on('grant.error', (ctx, error) => refused.set(ctx, error))
  const explain = async (ctx: KoaContextWithOIDC, error: unknown) => {
    const reason =
      error === 'invalid_grant'
        ? await reasonOfGrant(db, ctx, detailOf(refused.get(ctx)))
        : await reasonOfClient(db, ctx)
    // as: the library's error, an object
    if (reason !== undefined) ctx.body = { ...(ctx.body as object), error_description: reason }
  }
  return (ctx) => {
    if (ctx.status < 400 || !ABOUT_CLIENTS.has(ctx.oidc?.route ?? '')) return undefined
    const error: unknown = typeof ctx.body === 'object' && ctx.body !== null && Reflect.get(ctx.body, 'error')
    return error === 'invalid_grant' || error === 'invalid_client' ? explain(ctx, error) : undefined
  }
}

/** What the library says about a refused grant: in `error_detail`, but in the cause for PKCE. */
const detailOf = (error: errors.OIDCProviderError | undefined): string =>
  error?.error_detail ?? (error?.cause instanceof Error ? error.cause.message : '')

async function reasonOfGrant(db: Database, { oidc }: KoaContextWithOIDC, detail: string) {
  const [, reason] = GRANT_REASONS.find(([pattern]) => pattern.test(detail)) ?? []
  if (!/not found/.test(detail)) return reason
  // The library reports expired tokens as not found. Explain only to the app the token was issued to.
  const presented = oidc.params?.['code'] ?? oidc.params?.['refresh_token']
  if (typeof presented !== 'string') return reason
  const isOwn = (await findExpiredClient(db, hashToken(presented))) === oidc.client?.clientId
  return isOwn ? 'The code or refresh token has expired.' : reason
}

async function reasonOfClient(db: Database, ctx: KoaContextWithOIDC): Promise<string | undefined> {
  const { clientId, secret, method } = presentedCredentials(ctx)
  if (clientId === undefined || secret === undefined) return undefined
  const [app] = await findApps(db, [clientId])
  if (!app || !isSecretOf(app, secret)) return undefined
  if (!isEnabled(app)) return 'The app is disabled.'
  const registered = app.token_endpoint_auth_method
  if (registered === method) return undefined
  return `The app is registered for ${registered}, and the request used ${method}.`
}

function isSecretOf({ secret_hash, previous_secret_hash }: App, secret: string): boolean {
  const hash = hashSecret(secret)
  // Always compare both: the time must not reveal whether the app has a previous secret.
  const matches = [secret_hash, previous_secret_hash].map((known) =>
    secretHashesMatch(hash, known ?? NO_SECRET_HASH),
  )
  return matches.includes(true)
}

/** Returns the client id and secret of a request, from its header or form. */
export function presentedCredentials({ headers, oidc }: KoaContextWithOIDC) {
  const [scheme = '', value = ''] = (headers.authorization ?? '').slice(0, 1_000).split(' ')
  const isBasic = scheme.toLowerCase() === 'basic'
  const [basicId, basicSecret] = isBasic ? Buffer.from(value, 'base64').toString('latin1').split(':') : []
  const { client_id: bodyId, client_secret: bodySecret } = oidc.params ?? {}
  const clientId = bodyId ?? basicId
  const secret = basicSecret ?? bodySecret
  return {
    clientId: typeof clientId === 'string' && isClientId(clientId) ? clientId : undefined,
    secret: typeof secret === 'string' ? secret : undefined,
    method: isBasic ? 'client_secret_basic' : 'client_secret_post',
  }
}
