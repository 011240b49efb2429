import { grantTypesOf } from './rules/grant-types.ts'
import { uploadPath } from '../uploads/upload-path.ts'
import { isEnabled, type App } from './queries.ts'
import type { DeveloperApp } from './schemas.ts'

/**
 * Returns an app as its developer sees it (§2.11, decision 0012), without its secret. Fields that §2.11 does not
 * define are omitted while they are not set, so that responses to older clients do not change.
 *
 * @param baseUrl base URL for uploaded pictures
 */
export function toAppResponse(app: App, baseUrl: string): DeveloperApp {
  const { privacy_uri, terms_uri, previous_secret_expires_at: previousEnd } = app
  return {
    client_id: app.client_id,
    client_name: app.client_name,
    scope: app.scopes.join(' ') || null,
    client_uri: app.client_uri,
    logo: logoUrlOf(app, baseUrl),
    redirect_uris: app.redirect_uris,
    enabled: isEnabled(app),
    created_at: app.created_at.toISOString(),
    client_type: app.client_type,
    application_type: app.application_type,
    token_endpoint_auth_method: app.token_endpoint_auth_method,
    backchannel_logout_uri: app.backchannel_logout_uri,
    backchannel_logout_session_required: app.backchannel_logout_session_required,
    // as: the rules accept only these
    grant_types: grantTypesOf(app) as DeveloperApp['grant_types'],
    ...(app.required_scopes.length > 0 && { required_scopes: app.required_scopes }),
    ...(privacy_uri !== null && { privacy_uri }),
    ...(terms_uri !== null && { terms_uri }),
    ...(previousEnd !== null &&
      previousEnd.getTime() > Date.now() && {
        previous_secret_expires_at: previousEnd.toISOString(),
      }),
  }
}

/** Returns the URL of an app's logo: the uploaded picture, or the URL that its developer set. */
export const logoUrlOf = (
  { logo, logo_hash: hash }: Pick<App, 'logo' | 'logo_hash'>,
  baseUrl = '',
) => (hash === null ? logo : `${baseUrl}${uploadPath(hash)}`)
