import { Provider, type LibraryProvider } from '../oidc-provider.ts'

/**
 * Finds no code whose redirect URI the app no longer has. Codes are deleted with their URI (`apps/code-queries.ts`), but one
 * that is stored in the same moment comes too late for that.
 *
 * Upstream: a check of the client's current redirect URIs when a code is redeemed.
 * Tests: `src/apps/developer-effects.test.ts`
 */
export function refuseCodesOfRemovedUris(provider: LibraryProvider) {
  // as: the types have it for any class that inherits it
  const { AuthorizationCode } = provider as unknown as {
    AuthorizationCode: {
      find(value: string, options?: object): Promise<{ redirectUri?: string } | undefined>
    }
  }
  const find = AuthorizationCode.find.bind(AuthorizationCode)
  AuthorizationCode.find = async (value, options) => {
    const code = await find(value, options)
    const { client } = Provider.ctx?.oidc ?? {}
    const isGone =
      code?.redirectUri !== undefined && client?.redirectUriAllowed(code.redirectUri) === false
    return isGone ? undefined : code
  }
}
