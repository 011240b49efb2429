import { errors, type LibraryProvider } from '../oidc-provider.ts'

/**
 * Answers in the query alone (§5.3). Refuses other flows for their `response_type`: the library would refuse them next for a
 * `response_mode` that no request named.
 *
 * Upstream: an option with the allowed response modes, and the check of `response_type` before that of `response_mode`.
 * Tests: `src/identity/provider/authorization.test.ts`
 */
export function allowQueryResponseModeOnly(provider: LibraryProvider) {
  provider.Client.prototype.responseModeAllowed = (mode, responseType) => {
    // Undefined: missing, and refused for that.
    if (isUnsupportedResponseType(responseType ?? 'code'))
      throw new errors.UnsupportedResponseType()
    return mode === undefined || mode === 'query'
  }
}

/** Whether a request uses a flow other than the code flow. */
export const isUnsupportedResponseType = (responseType: string) =>
  responseType.split(' ').some((type) => type !== 'code')
