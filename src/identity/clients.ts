import type { AdapterPayload } from 'oidc-provider'
import type { App } from '../apps/queries.ts'
import { isApplicationScope, OPENID_SCOPES, withImplied } from '../apps/scopes.ts'

/** The scopes of the app that it may use without a user. */
export function applicationScopes(app: { scope?: string | undefined }): string[] {
  return (app.scope ?? '').split(' ').filter(isApplicationScope)
}

/**
 * An app as the OpenID provider wants to know it. A disabled one it does not know at all.
 *
 * `client_secret` is the secret's hash: the provider compares through `secretMatches` (identity/provider.ts).
 */
export function toClient(app: App | undefined): AdapterPayload | undefined {
  if (!app?.enabled) return undefined
  return {
    client_id: app.client_id,
    client_name: app.client_name,
    ...(app.client_uri && { client_uri: app.client_uri }),
    ...(app.secret_hash && { client_secret: app.secret_hash }),
    token_endpoint_auth_method: app.token_endpoint_auth_method,
    application_type: 'web',
    grant_types: app.client_type === 'confidential' ? ['client_credentials'] : [],
    response_types: [],
    redirect_uris: [],
    // Never empty: the provider takes an empty or missing scope for "no limit".
    scope: [...OPENID_SCOPES, ...withImplied(app.scopes)].join(' '),
  }
}
