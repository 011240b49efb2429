import type { App } from '../../apps/queries.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { tryStep, type HttpStep, type ApiTryRequest, type TryTarget } from './http-step.ts'

/** Returns the client authentication for the app's registered method. */
export function clientAuthentication(
  app: App,
  secret: string,
): Pick<ApiTryRequest, 'headers' | 'form'> {
  switch (app.token_endpoint_auth_method) {
    case 'client_secret_basic': {
      const pair = [app.client_id, secret].map(encodeURIComponent).join(':')
      return {
        headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
        form: {},
      }
    }
    case 'client_secret_post':
      return { form: { client_id: app.client_id, client_secret: secret } }
    default:
      return { form: { client_id: app.client_id } }
  }
}

/** Requests tokens, calls the API, refreshes the tokens if possible, and finally revokes them all. */
export async function tryTokenFlow(
  context: PageContext,
  target: TryTarget,
  app: App,
  {
    secret,
    form,
    title,
  }: {
    secret: string
    form: Record<string, string>
    /** Title of the first step. */
    title?: string
  },
): Promise<HttpStep[]> {
  const { steps: titles } = context.messages.console
  const proof = clientAuthentication(app, secret)
  const token = await tryStep(target, title ?? titles.token, {
    method: 'POST',
    path: '/oidc/token',
    ...proof,
    form: { ...form, ...proof.form },
  })
  const { access_token: accessToken, refresh_token: refreshToken, scope = '' } = token.body
  if (typeof accessToken !== 'string') return [token]
  const call = await tryStep(target, titles.call, {
    method: 'GET',
    path: pathFor(String(scope).split(' ')),
    headers: { authorization: `Bearer ${accessToken}` },
  })
  const refreshed =
    typeof refreshToken === 'string'
      ? await tryRefresh(context, target, proof, refreshToken)
      : undefined
  const ends: HttpStep[] = []
  for (const each of [...(refreshed?.tokens ?? []), accessToken])
    ends.push(
      await tryStep(target, titles.revoke, {
        method: 'POST',
        path: '/oidc/token/revocation',
        ...proof,
        form: { token: each, ...proof.form },
      }),
    )
  return [token, call, ...(refreshed ? [refreshed.step] : []), ...ends]
}

/**
 * Refreshes the tokens.
 *
 * @returns the step and the tokens to revoke
 */
async function tryRefresh(
  { messages }: PageContext,
  target: TryTarget,
  proof: Pick<ApiTryRequest, 'headers' | 'form'>,
  refreshToken: string,
): Promise<{ step: HttpStep; tokens: string[] }> {
  const step = await tryStep(target, messages.console.steps.refresh, {
    method: 'POST',
    path: '/oidc/token',
    ...proof,
    form: { grant_type: 'refresh_token', refresh_token: refreshToken, ...proof.form },
  })
  const { refresh_token: next = refreshToken, access_token: accessToken } = step.body
  return { step, tokens: [next, accessToken].filter((item) => typeof item === 'string') }
}

/** Returns the path of an API that the scopes allow. */
function pathFor(scopes: string[]): string {
  if (scopes.includes('status:read') || scopes.includes('status:write'))
    return '/v3/user/me/rates?page_size=1'
  if (scopes.includes('collection:read') || scopes.includes('collection:write'))
    return '/v3/user/me/collections'
  if (scopes.includes('user:read')) return '/v3/user/me'
  if (scopes.includes('catalog:read') || scopes.includes('catalog:full'))
    return '/api/v3/open/search?q=a&page_size=1'
  return '/oidc/me'
}
