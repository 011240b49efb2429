import { isDocumentUrl } from '../../../apps/rules/client-documents.ts'
import { faultOfRedirectUri } from '../../../apps/rules/redirect-uris.ts'
import { isLoopback } from '../../../kernel/networks.ts'
import type { LibraryProvider } from '../oidc-provider.ts'

/**
 * Compares redirect URIs character by character (§5.2), except for the port of a loopback URI of an app that is described
 * by a document (RFC 8252 §7.3). Leaves validation at registration to
 * `apps/rules/redirect-uris.ts`, because the library's rules are stricter.
 *
 * Upstream: options that replace the comparison and the validation of redirect URIs.
 * Tests: `src/identity/attacks/redirect-uri.test.ts`, `src/identity/provider/client-documents.test.ts`
 */
export function compareRedirectUrisExactly(provider: LibraryProvider) {
  provider.Client.prototype.redirectUriAllowed = function redirectUriAllowed(uri: string) {
    const known = this.redirectUris ?? []
    if (known.includes(uri)) return true
    if (!isDocumentUrl(this.clientId) || faultOfRedirectUri(uri) !== undefined) return false
    const withoutPort = loopbackWithoutPort(uri)
    return (
      withoutPort !== undefined && known.some((other) => loopbackWithoutPort(other) === withoutPort)
    )
  }
  // as: an internal that the types omit; a test of custom schemes checks it
  const { Schema } = provider.Client as unknown as {
    Schema: { prototype: { redirectUris(): void; postLogoutRedirectUris(): void } }
  }
  Schema.prototype.redirectUris = () => {}
  Schema.prototype.postLogoutRedirectUris = () => {}
}

/** Returns a loopback URI without its port; undefined for other URIs. */
function loopbackWithoutPort(uri: string): string | undefined {
  const url = URL.parse(uri)
  if (url?.protocol !== 'http:' || !isLoopback(url.hostname)) return undefined
  url.port = ''
  return url.href
}
