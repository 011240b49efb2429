import type { errors, KoaContextWithOIDC } from 'oidc-provider'
import {
  describeParameters,
  describeReason,
  describeText,
  shortenAddress,
} from '../../../apps/usage/describe-refusal.ts'
import type { CountedRoute, Usage } from '../../../apps/usage/usage.ts'
import type { RefusedRequest } from '../../../apps/usage/refused-request-buffer.ts'
import { OWNER_BANNED } from '../storage/clients.ts'
import { presentedCredentials } from './explain-token-errors.ts'
import type { Provider } from '../oidc-provider.ts'
import { providerRefusalMessage, refusalOf, type ProviderRefusal } from '../provider-refusal.ts'

/** Library error. `error_description` goes to the app, `error_detail` does not. */
type ProtocolError = errors.OIDCProviderError

export const TOKEN_ENDPOINT: CountedRoute = { method: 'POST', url: '/oidc/token' }
const AUTHORIZATION: CountedRoute = { method: 'GET', url: '/oidc/auth' }

/** Counted endpoints, keyed by the library's route name. Apps do not request the other routes. */
const ENDPOINTS: Record<string, CountedRoute> = {
  token: TOKEN_ENDPOINT,
  authorization: AUTHORIZATION,
  resume: AUTHORIZATION,
  pushed_authorization_request: { method: 'POST', url: '/oidc/request' },
  device_authorization: { method: 'POST', url: '/oidc/device/auth' },
  introspection: { method: 'POST', url: '/oidc/token/introspection' },
  revocation: { method: 'POST', url: '/oidc/token/revocation' },
  end_session: { method: 'GET', url: '/oidc/session/end' },
}

const MAX_REASON = 900

/** Expected while a device polls for a code that has not been confirmed yet. */
const EXPECTED = new Set(['authorization_pending', 'slow_down'])

/** Counts and records the requests that the provider refuses, with the library's reasons. */
export function recordRefusedRequests(
  provider: InstanceType<typeof Provider>,
  usage: Pick<Usage, 'countRequest' | 'recordRefusal'>,
) {
  const note = (ctx: KoaContextWithOIDC, error: ProtocolError) => {
    const endpoint = ENDPOINTS[ctx.oidc.route]
    const clientId = ctx.oidc.client?.clientId ?? presentedCredentials(ctx).clientId
    if (!endpoint || clientId === undefined || EXPECTED.has(error.error ?? '')) return
    if (ctx.oidc.client) usage.countRequest(clientId, endpoint, 4)
    usage.recordRefusal(clientId, () => ({
      at: new Date(),
      request_id: String(ctx.res.getHeader('x-request-id')).slice(0, 200),
      endpoint: `${String(endpoint.method)} ${endpoint.url}`,
      status: error.statusCode ?? 400,
      code: describeText(error.error ?? 'invalid_request', 90),
      ...reasonOf(ctx, error),
      sent: describeParameters({ ...ctx.oidc.params }),
      address: shortenAddress(ctx.ip),
    }))
  }
  provider.on('grant.error', note)
  provider.on('authorization.error', note)
  provider.on('pushed_authorization_request.error', note)
  provider.on('device_authorization.error', note)
  provider.on('introspection.error', note)
  provider.on('revocation.error', note)
  provider.on('end_session.error', note)
}

/** Returns the code if one of our rules refused the request, otherwise the library's message. */
function reasonOf(
  ctx: KoaContextWithOIDC,
  error: ProtocolError,
): Pick<RefusedRequest, 'reason' | 'coded_reason'> {
  const found = refusalOf(error) === undefined ? findReason(ctx, error) : undefined
  const coded = refusalOf(error) ?? found
  const { error_description: description = error.error, error_detail: detail } = error
  const texts = found ? [providerRefusalMessage(found)] : [description, detail]
  return {
    reason: describeText(
      texts.filter((text) => text !== undefined && text !== '').join(' · '),
      MAX_REASON,
    ),
    coded_reason: coded ? describeReason([coded]) : null,
  }
}

/** Derives the reason from the request. The app never sees it (§5.4), because the caller may not be the app. */
function findReason(
  ctx: KoaContextWithOIDC,
  { error }: ProtocolError,
): ProviderRefusal | undefined {
  const { client } = ctx.oidc
  if (error === 'access_denied')
    return { code: client?.[OWNER_BANNED] === true ? 'owner.banned' : 'reader.refused' }
  if (error !== 'invalid_client') return undefined
  // An existing app that the library does not know is disabled. Other requests were refused before the lookup.
  if (!client) return { code: 'client.disabled' }
  const registered = client.tokenEndpointAuthMethod
  const isBasic = ctx.headers.authorization !== undefined
  const isPost = typeof ctx.oidc.params?.['client_secret'] === 'string'
  const used = isBasic ? 'client_secret_basic' : isPost ? 'client_secret_post' : 'none'
  if (registered === undefined || used === registered) return undefined
  return { code: 'client.other_method', params: { registered, used } }
}
