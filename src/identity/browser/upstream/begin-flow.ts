import type { FastifyReply, FastifyRequest } from 'fastify'
import { saveFlow, type UpstreamFlow } from '../../../accounts/sign-in/upstream-flows.ts'
import { hashToken, newToken } from '../../../kernel/opaque-tokens.ts'
import type { UpstreamClient } from '../../upstream/upstream-client.ts'
import type { BrowserOptions } from '../options.ts'
import { RequestingBrowser } from '../requesting-browser.ts'

/**
 * Derives the secrets of a flow from the cookie of its browser, so that the database holds none.
 *
 * @param browserToken token of `RequestingBrowser`
 */
export const flowSecrets = (browserToken: string, state: string) => ({
  nonce: hashToken(`nonce ${state} ${browserToken}`),
  codeVerifier: hashToken(`verifier ${state} ${browserToken}`),
})

/** Returns the redirect URI at a provider. Each provider has its own, so that their responses cannot be mixed up. */
export const redirectUriOf = (authUrl: string, { provider }: UpstreamClient) =>
  `${authUrl}/sign-in/with/${provider.name}/callback`

type Purpose = Omit<UpstreamFlow, 'provider' | 'identity' | 'created_at'>

/**
 * Redirects the user to a provider.
 *
 * @throws {UpstreamError} if the provider cannot be reached
 */
export async function beginFlow(
  { db, authUrl }: Pick<BrowserOptions, 'db' | 'authUrl'>,
  request: FastifyRequest,
  reply: FastifyReply,
  client: UpstreamClient,
  purpose: Purpose,
) {
  const browserToken = new RequestingBrowser(authUrl).rememberToken(request, reply)
  const state = newToken()
  const url = await client.authorizationUrl({
    redirectUri: redirectUriOf(authUrl, client),
    state,
    language: request.page.language,
    requiresSignIn: purpose.requires_sign_in,
    ...flowSecrets(browserToken, state),
  })
  await saveFlow(db, {
    ...purpose,
    token: state,
    provider: client.provider.name,
    browserHash: hashToken(browserToken),
    identity: null,
  })
  return reply.header('cache-control', 'no-store').redirect(url.href, 303)
}
