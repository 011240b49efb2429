import { Provider, type LibraryProvider } from '../oidc-provider.ts'

/**
 * Ignores a code whose redirect URI has been removed from the app. Codes are deleted with their URI
 * (`apps/authorization-code-queries.ts`), but a code stored at the same moment escapes that deletion.
 *
 * Upstream: a check of the client's current redirect URIs when a code is redeemed.
 * Tests: `src/apps/developer-effects.test.ts`
 */
export function refuseCodesOfRemovedUris(provider: LibraryProvider) {
  // as: the types only declare it on the base class
  const { AuthorizationCode } = provider as unknown as {
    AuthorizationCode: {
      find(value: string, options?: object): Promise<{ redirectUri?: string } | undefined>
    }
  }
  const find = AuthorizationCode.find.bind(AuthorizationCode)
  AuthorizationCode.find = async (value, options) => {
    const code = await find(value, options)
    const { client } = Provider.ctx?.oidc ?? {}
    const isRemovedUri =
      code?.redirectUri !== undefined && client?.redirectUriAllowed(code.redirectUri) === false
    return isRemovedUri ? undefined : code
  }
}
