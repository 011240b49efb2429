import type { Database } from '../../../db/database.ts'
import type { LibraryProvider } from '../oidc-provider.ts'
import { addAccessTokenHash } from './at-hash.ts'
import { refuseCodesOfRemovedUris } from './codes-of-removed-uris.ts'
import { compareRedirectUrisExactly } from './exact-redirect-uris.ts'
import { allowQueryResponseModeOnly } from './query-response-mode.ts'
import { saveSessionBeforeDeviceCode } from './session-before-device-code.ts'
import { keepSessionId } from './stable-session-id.ts'
import { compareSecretsStrictly } from './strict-client-secret.ts'

/** Replaces library methods where no option provides what §5 requires. */
export function patchProvider(provider: LibraryProvider, db: Database) {
  compareSecretsStrictly(provider)
  compareRedirectUrisExactly(provider)
  refuseCodesOfRemovedUris(provider)
  allowQueryResponseModeOnly(provider)
  keepSessionId(provider, db)
  saveSessionBeforeDeviceCode(provider)
  addAccessTokenHash(provider)
}
