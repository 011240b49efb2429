import type { LibraryProvider } from '../oidc-provider.ts'

/**
 * Compares redirect URIs character by character (§5.2), and leaves validation at registration to
 * `apps/rules/redirect-uris.ts`, because the library's rules are stricter.
 *
 * Upstream: options that replace the comparison and the validation of redirect URIs.
 * Tests: `src/identity/attacks/redirect-uri.test.ts`
 */
export function compareRedirectUrisExactly(provider: LibraryProvider) {
  provider.Client.prototype.redirectUriAllowed = function redirectUriAllowed(uri: string) {
    return this.redirectUris?.includes(uri) === true
  }
  // as: an internal that the types omit; a test of custom schemes checks it
  const { Schema } = provider.Client as unknown as {
    Schema: { prototype: { redirectUris(): void; postLogoutRedirectUris(): void } }
  }
  Schema.prototype.redirectUris = () => {}
  Schema.prototype.postLogoutRedirectUris = () => {}
}
