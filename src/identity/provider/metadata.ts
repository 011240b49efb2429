import type { KoaContextWithOIDC } from 'oidc-provider'
import { LANGUAGES } from '../../i18n/languages.ts'

/** What discovery says beside what the library knows of itself (OpenID Connect Discovery §3, RFC 8414 §2). */
export const METADATA = {
  ui_locales_supported: [...LANGUAGES],
  // Initiating User Registration via OpenID Connect 1.0 §5.
  prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
  request_parameter_supported: false,
  revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  // RFC 7662 for confidential clients alone (decision 0003).
  introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
}

/** Takes out of the discovery document what the library can do in general and here does not. */
export function correctMetadata(ctx: KoaContextWithOIDC) {
  if (ctx.oidc?.route !== 'discovery') return
  // as: the library has just made it
  ctx.body = {
    ...(ctx.body as object),
    // §5.3: in the query string, and nowhere else.
    response_modes_supported: ['query'],
  }
}

/** RFC 7009 §2.2 has the answer's content ignored, yet oidc-client-ts and simple-oauth2 throw when it is not JSON. */
export function respondToRevocationWithJson(ctx: KoaContextWithOIDC) {
  if (ctx.oidc?.route === 'revocation' && ctx.status === 200) ctx.body = {}
}
