import type { KoaContextWithOIDC } from 'oidc-provider'
import type { LibraryProvider } from '../oidc-provider.ts'

/**
 * Adds `at_hash` to ID tokens of the code flow. OpenID Connect Core §3.1.3.6 makes it optional there, and some relying
 * parties require it. The library can hash an access token, but passes none to the ID token in this flow.
 *
 * Upstream: an option that adds `at_hash` at the token endpoint.
 * Tests: `src/identity/tokens/user-tokens.test.ts`
 */
export function addAccessTokenHash(provider: LibraryProvider) {
  const values = new WeakMap<object, string>()
  // as: the types omit both
  const { AccessToken, IdToken } = provider as unknown as {
    AccessToken: { prototype: { save(): Promise<string> } }
    IdToken: {
      prototype: {
        ctx?: KoaContextWithOIDC
        set(name: string, value: string): void
        issue(options: { use: string }): Promise<string>
      }
    }
  }
  const { save } = AccessToken.prototype
  AccessToken.prototype.save = async function saveAccessToken() {
    const value = await save.call(this)
    values.set(this, value)
    return value
  }
  const { issue } = IdToken.prototype
  IdToken.prototype.issue = function issueIdToken(options) {
    const accessToken = this.ctx?.oidc.entities.AccessToken
    const value = accessToken && values.get(accessToken)
    if (options.use === 'idtoken' && value !== undefined) this.set('at_hash', value)
    return issue.call(this, options)
  }
}
