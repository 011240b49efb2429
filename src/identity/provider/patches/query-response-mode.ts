import { errors, type LibraryProvider } from '../oidc-provider.ts'

/**
 * Allows only the response mode `query` (§5.3). Rejects other flows for their `response_type`, because the library
 * would next reject a `response_mode` that the request did not contain.
 *
 * Upstream: an option with the allowed response modes, and the check of `response_type` before that of `response_mode`.
 * Tests: `src/identity/provider/authorization.test.ts`
 */
export function allowQueryResponseModeOnly(provider: LibraryProvider) {
  provider.Client.prototype.responseModeAllowed = (mode, responseType) => {
    // A missing type is rejected elsewhere.
    if (isUnsupportedResponseType(responseType ?? 'code'))
      throw new errors.UnsupportedResponseType()
    return mode === undefined || mode === 'query'
  }
}

/** Whether a request uses a flow other than the code flow. */
export const isUnsupportedResponseType = (responseType: string) =>
  responseType.split(' ').some((type) => type !== 'code')
