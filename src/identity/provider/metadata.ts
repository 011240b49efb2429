import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Config } from '../../config/config.ts'
import { LANGUAGES } from '../../i18n/languages.ts'

/**
 * Returns discovery metadata in addition to the library's (OpenID Connect Discovery §3, RFC 8414 §2).
 *
 * @param origin origin of the issuer
 */
export const metadataOf = (origin: string, legalFiles: Partial<Config['legalFiles']> = {}) => ({
  ...(legalFiles.privacy !== undefined && { op_policy_uri: `${origin}/privacy` }),
  ...(legalFiles.terms !== undefined && { op_tos_uri: `${origin}/terms` }),
  ui_locales_supported: [...LANGUAGES],
  // Initiating User Registration via OpenID Connect 1.0 §5.
  prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
  request_parameter_supported: false,
  revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  // RFC 7662, for confidential clients only (decision 0003).
  introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
})

/** Removes library features that are not offered here from the discovery document. */
export function correctMetadata(ctx: KoaContextWithOIDC) {
  if (ctx.oidc?.route !== 'discovery') return
  // as: the body is the library's discovery document
  ctx.body = {
    ...(ctx.body as object),
    // §5.3: only in the query string.
    response_modes_supported: ['query'],
  }
}

/**
 * Responds with JSON, because oidc-client-ts and simple-oauth2 throw otherwise, although RFC 7009 §2.2 ignores the
 * body.
 */
export function respondToRevocationWithJson(ctx: KoaContextWithOIDC) {
  if (ctx.oidc?.route === 'revocation' && ctx.status === 200) ctx.body = {}
}
