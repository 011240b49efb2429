import type { errors, KoaContextWithOIDC } from 'oidc-provider'
import { findApps, isEnabled, type App } from '../../../apps/queries.ts'
import { isClientId, NO_SECRET_HASH } from '../../../apps/secrets.ts'
import { hashToken, isSameSecret } from '../../../kernel/opaque-tokens.ts'
import type { Database } from '../../../db/database.ts'
import type { Provider } from '../oidc-provider.ts'
import { providerRefusalMessage, refusalOf } from '../provider-refusal.ts'
import { findExpiredClient } from '../storage/record-queries.ts'

type Explain = (ctx: KoaContextWithOIDC) => Promise<void> | undefined

const ABOUT_CLIENTS = new Set(['token', 'introspection', 'revocation', 'device_authorization'])

/**
 * Adds the reason to errors from the token endpoint and similar endpoints once the caller has authenticated as the
 * app. Other callers always get the same error, so they learn nothing by guessing.
 */
export function explainTokenErrors(provider: InstanceType<typeof Provider>, db: Database): Explain {
  const refused = new WeakMap<object, errors.OIDCProviderError>()
  provider.on('grant.error', (ctx, error) => refused.set(ctx, error))
  const explain = async (ctx: KoaContextWithOIDC, error: unknown) => {
    const reason =
      error === 'invalid_grant'
        ? await reasonOfGrant(db, ctx, refused.get(ctx))
        : await reasonOfClient(db, ctx)
    // as: the library's error is an object
    if (reason !== undefined) ctx.body = { ...(ctx.body as object), error_description: reason }
  }
  return (ctx) => {
    if (ctx.status < 400 || !ABOUT_CLIENTS.has(ctx.oidc?.route ?? '')) return undefined
    const error: unknown =
      typeof ctx.body === 'object' && ctx.body !== null && Reflect.get(ctx.body, 'error')
    return error === 'invalid_grant' || error === 'invalid_client' ? explain(ctx, error) : undefined
  }
}

/**
 * Returns the reason for an error, from one of our rules or from the library. The library puts it into `error_detail`
 * or, for PKCE, into the cause.
 */
async function reasonOfGrant(
  db: Database,
  { oidc }: KoaContextWithOIDC,
  error: errors.OIDCProviderError | undefined,
): Promise<string | undefined> {
  const refusal = error && refusalOf(error)
  if (refusal) return providerRefusalMessage(refusal)
  // The library reports expired tokens as not found. Explain only to the app the token was issued to.
  const presented = oidc.params?.['code'] ?? oidc.params?.['refresh_token']
  const expiredClient =
    typeof presented === 'string' ? await findExpiredClient(db, hashToken(presented)) : undefined
  if (expiredClient !== undefined && expiredClient === oidc.client?.clientId)
    return providerRefusalMessage({ code: 'grant.expired' })
  return error?.error_detail ?? (error?.cause instanceof Error ? error.cause.message : undefined)
}

async function reasonOfClient(db: Database, ctx: KoaContextWithOIDC): Promise<string | undefined> {
  const { clientId, secret, method } = presentedCredentials(ctx)
  if (clientId === undefined || secret === undefined) return undefined
  const [app] = await findApps(db, [clientId])
  if (!app || !isSecretOf(app, secret)) return undefined
  if (!isEnabled(app)) return providerRefusalMessage({ code: 'client.disabled' })
  const registered = app.token_endpoint_auth_method
  if (registered === method) return undefined
  return `The app is registered for ${registered}, and the request used ${method}.`
}

function isSecretOf({ secret_hash, previous_secret_hash }: App, secret: string): boolean {
  const hash = hashToken(secret)
  // Always compare both: the response time must not reveal whether the app has a previous secret.
  const matches = [secret_hash, previous_secret_hash].map((known) =>
    isSameSecret(hash, known ?? NO_SECRET_HASH),
  )
  return matches.includes(true)
}

/** Returns the client id and secret of a request, from its header or form. */
export function presentedCredentials({ headers, oidc }: KoaContextWithOIDC) {
  const [scheme = '', value = ''] = (headers.authorization ?? '').slice(0, 1_000).split(' ')
  const isBasic = scheme.toLowerCase() === 'basic'
  const [basicId, basicSecret] = isBasic
    ? Buffer.from(value, 'base64').toString('latin1').split(':')
    : []
  const { client_id: bodyId, client_secret: bodySecret } = oidc.params ?? {}
  const clientId = bodyId ?? basicId
  const secret = basicSecret ?? bodySecret
  return {
    clientId: typeof clientId === 'string' && isClientId(clientId) ? clientId : undefined,
    secret: typeof secret === 'string' ? secret : undefined,
    method: isBasic ? 'client_secret_basic' : 'client_secret_post',
  }
}
