import type { AdapterPayload } from 'oidc-provider'
import { grantTypesOf } from '../../../apps/rules/grant-types.ts'
import { isEnabled, type AppWithOwner } from '../../../apps/queries.ts'
import { isApplicationScope, scopesOf } from '../../../apps/rules/scopes.ts'

/** Returns the app's scopes that do not require a user. */
export function applicationScopes(app: { scope?: string | undefined }): string[] {
  return (app.scope ?? '').split(' ').filter(isApplicationScope)
}

/** Returns the scopes that users cannot leave out when they allow the app. */
export function requiredScopes(client: object): string[] {
  const scopes: unknown = Reflect.get(client, REQUIRED_SCOPES)
  // as: `toClient` stores only an array of scopes there
  return Array.isArray(scopes) ? (scopes as string[]) : []
}

/** Client metadata: number of rotations of the app's secret at the time of the request. */
export const SECRET_GENERATION = 'secret_generation'

/** Client metadata: scopes that the app requires, as its developer declared. */
export const REQUIRED_SCOPES = 'required_scopes'

/** Client metadata: the app's developer is banned, so no new user may allow it (decision 0012). */
export const OWNER_BANNED = 'owner_banned'

/** Client metadata: hash of the previous secret while it is valid. */
export const PREVIOUS_SECRET = 'previous_secret_hash'

/**
 * Returns an app in the library's format. Disabled apps are treated as unknown.
 *
 * `client_secret` is the hash of the secret, for `compareSecretsStrictly`
 * (identity/provider/patches/strict-client-secret.ts).
 */
export function toClient(app: AppWithOwner): (AdapterPayload & { client_id: string }) | undefined {
  if (!isEnabled(app)) return undefined
  const grantTypes = grantTypesOf(app)
  return {
    client_id: app.client_id,
    client_name: app.client_name,
    ...(app.client_uri && { client_uri: app.client_uri }),
    ...(app.secret_hash && { client_secret: app.secret_hash }),
    token_endpoint_auth_method: app.token_endpoint_auth_method,
    // Always "web": "native" would let loopback ports vary, while §5.2 compares exactly.
    application_type: 'web',
    grant_types: grantTypes,
    response_types: grantTypes.includes('authorization_code') ? ['code'] : [],
    redirect_uris: app.redirect_uris,
    post_logout_redirect_uris: [...app.redirect_uris, ...(app.client_uri ? [app.client_uri] : [])],
    ...(app.backchannel_logout_uri !== null && {
      backchannel_logout_uri: app.backchannel_logout_uri,
      backchannel_logout_session_required: app.backchannel_logout_session_required,
    }),
    // Never empty: the provider reads an empty or missing scope as unlimited.
    scope: scopesOf(app).join(' '),
    [SECRET_GENERATION]: app.secret_generation,
    ...(app.required_scopes.length > 0 && { [REQUIRED_SCOPES]: app.required_scopes }),
    ...(app.is_owner_banned && { [OWNER_BANNED]: true }),
    ...(app.previous_secret_hash !== null && { [PREVIOUS_SECRET]: app.previous_secret_hash }),
  }
}
