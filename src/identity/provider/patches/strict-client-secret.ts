import type { KoaContextWithOIDC } from 'oidc-provider'
import { NO_SECRET_HASH, secretHashesMatch } from '../../../apps/secrets.ts'
import { PREVIOUS_SECRET, SECRET_GENERATION } from '../storage/clients.ts'
import { Provider, type LibraryProvider } from '../oidc-provider.ts'
import { hashToken } from '../../../kernel/opaque-tokens.ts'

/**
 * Accepts a secret only by the registered method (§5.4), and compares its hash.
 *
 * Upstream: an option that makes `client_secret_basic` and `client_secret_post` exclusive, and a hook that compares secrets.
 * Tests: `src/identity/provider/client-secret.test.ts`, `src/apps/two-secrets.test.ts`
 */
export function compareSecretsStrictly(provider: LibraryProvider) {
  provider.Client.prototype.compareClientSecret = function compareClientSecret(presented: string) {
    const basic = Provider.ctx?.headers.authorization !== undefined
    const method = basic ? 'client_secret_basic' : 'client_secret_post'
    if (this.tokenEndpointAuthMethod !== method || this.clientSecret === undefined) return false
    const previous = this[PREVIOUS_SECRET]
    // Both are compared always: the time tells nothing of which one it was.
    const hash = hashToken(presented)
    const matches = secretHashesMatch(hash, this.clientSecret)
    const matchesPrevious = secretHashesMatch(
      hash,
      typeof previous === 'string' ? previous : NO_SECRET_HASH,
    )
    if (matchesPrevious && !matches && Provider.ctx) withPreviousSecret.add(Provider.ctx.oidc)
    return matches || matchesPrevious
  }
}

/** Requests of apps that have shown the secret before the one they have now. */
const withPreviousSecret = new WeakSet<object>()

/** How often the app's secret was rotated before the one it has shown in this request. */
export function generationOfSecret(oidc: KoaContextWithOIDC['oidc']): number {
  const generation = oidc.client?.[SECRET_GENERATION]
  if (typeof generation !== 'number') return 0
  return withPreviousSecret.has(oidc) ? generation - 1 : generation
}
