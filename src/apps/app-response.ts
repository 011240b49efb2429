import { grantTypesOf } from './grant-types.ts'
import { isEnabled, type App } from './queries.ts'
import type { DeveloperApp } from './schemas.ts'

/** An app as its developer sees it (§2.11, decision 0012): never its secret. */
export function toAppResponse(app: App): DeveloperApp {
  return {
    client_id: app.client_id,
    client_name: app.client_name,
    scope: app.scopes.join(' ') || null,
    client_uri: app.client_uri,
    logo: app.logo,
    redirect_uris: app.redirect_uris,
    enabled: isEnabled(app),
    created_at: app.created_at.toISOString(),
    client_type: app.client_type,
    application_type: app.application_type,
    token_endpoint_auth_method: app.token_endpoint_auth_method,
    backchannel_logout_uri: app.backchannel_logout_uri,
    backchannel_logout_session_required: app.backchannel_logout_session_required,
    // as: the rules admit no other
    grant_types: grantTypesOf(app) as DeveloperApp['grant_types'],
  }
}
