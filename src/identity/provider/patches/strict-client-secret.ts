import type { KoaContextWithOIDC } from 'oidc-provider'
import { NO_SECRET_HASH } from '../../../apps/secrets.ts'
import { PREVIOUS_SECRET, SECRET_GENERATION } from '../storage/clients.ts'
import { Provider, type LibraryProvider } from '../oidc-provider.ts'
import { hashToken, isSameSecret } from '../../../kernel/opaque-tokens.ts'

/**
 * Accepts a secret only by the registered method (§5.4), and compares its hash.
 *
 * Upstream: an option that makes `client_secret_basic` and `client_secret_post` exclusive, and a hook that compares
 * secrets.
 * Tests: `src/identity/provider/client-secret.test.ts`, `src/apps/secret-rotation.test.ts`
 */
export function compareSecretsStrictly(provider: LibraryProvider) {
  provider.Client.prototype.compareClientSecret = function compareClientSecret(presented: string) {
    const basic = Provider.ctx?.headers.authorization !== undefined
    const method = basic ? 'client_secret_basic' : 'client_secret_post'
    if (this.tokenEndpointAuthMethod !== method || this.clientSecret === undefined) return false
    const previous = this[PREVIOUS_SECRET]
    // Always compares both, so that the response time does not reveal which one matched.
    const hash = hashToken(presented)
    const matches = isSameSecret(hash, this.clientSecret)
    const matchesPrevious = isSameSecret(
      hash,
      typeof previous === 'string' ? previous : NO_SECRET_HASH,
    )
    if (matchesPrevious && !matches && Provider.ctx) withPreviousSecret.add(Provider.ctx.oidc)
    return matches || matchesPrevious
  }
}

/** Requests authenticated with the app's previous secret. */
const withPreviousSecret = new WeakSet<object>()

/** Returns how often the app's secret had been rotated when the secret of this request was the current one. */
export function generationOfSecret(oidc: KoaContextWithOIDC['oidc']): number {
  const generation = oidc.client?.[SECRET_GENERATION]
  if (typeof generation !== 'number') return 0
  return withPreviousSecret.has(oidc) ? generation - 1 : generation
}
