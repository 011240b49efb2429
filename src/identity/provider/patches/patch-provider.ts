import type { Database } from '../../../db/database.ts'
import type { DatabaseClock } from '../../../db/upkeep/database-clock.ts'
import type { LibraryProvider } from '../oidc-provider.ts'
import { addAccessTokenHash } from './at-hash.ts'
import { refuseCodesOfRemovedUris } from './codes-of-removed-uris.ts'
import { dateIdTokens } from './database-time.ts'
import { compareRedirectUrisExactly } from './exact-redirect-uris.ts'
import { allowQueryResponseModeOnly } from './query-response-mode.ts'
import { saveSessionBeforeDeviceCode } from './session-before-device-code.ts'
import { keepSessionId } from './stable-session-id.ts'
import { compareSecretsStrictly } from './strict-client-secret.ts'

/** Replaces methods of the library where §5 requires something that no option provides. */
export function patchProvider(provider: LibraryProvider, db: Database, clock: DatabaseClock) {
  compareSecretsStrictly(provider)
  compareRedirectUrisExactly(provider)
  refuseCodesOfRemovedUris(provider)
  allowQueryResponseModeOnly(provider)
  keepSessionId(provider, db)
  saveSessionBeforeDeviceCode(provider)
  addAccessTokenHash(provider)
  dateIdTokens(provider, clock)
}
