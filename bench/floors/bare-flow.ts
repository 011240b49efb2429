import { exportJWK, generateKeyPair } from 'jose'
import { createServer } from 'node:http'
import { Provider } from '../../src/identity/provider/oidc-provider.ts'
import { CALLBACK } from '#test/authorization.ts'

/**
 * Bare oidc-provider with the code flow: in-memory adapter, and every user signed in and consenting without a page.
 * Arguments: client ID, client secret, audience.
 */
const [, , client_id = '', client_secret = '', audience = ''] = process.argv

const keyOf = async (alg: 'ES256' | 'RS256') => {
  const jwk = await exportJWK((await generateKeyPair(alg, { extractable: true })).privateKey)
  return { ...jwk, kty: jwk.kty ?? '', alg, use: 'sig', kid: alg }
}
const provider = new Provider('http://127.0.0.1', {
  clients: [
    {
      client_id,
      client_secret,
      grant_types: ['authorization_code'],
      response_types: ['code'],
      redirect_uris: [CALLBACK],
      // Needed for the loopback redirect URI, which "web" would refuse.
      application_type: 'native',
    },
  ],
  jwks: { keys: [await keyOf('ES256'), await keyOf('RS256')] },
  scopes: ['openid', 'status:write'],
  cookies: { keys: ['a key'] },
  findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
  async loadExistingGrant(ctx) {
    const { client, session } = ctx.oidc
    const known = session?.grantIdFor(client?.clientId ?? '')
    if (known !== undefined) return ctx.oidc.provider.Grant.find(known)
    const grant = new ctx.oidc.provider.Grant({
      accountId: session?.accountId ?? '',
      clientId: client?.clientId ?? '',
    })
    grant.addOIDCScope('openid status:write')
    grant.addResourceScope(audience, 'status:write')
    await grant.save()
    return grant
  },
  features: {
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => audience,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: 'status:write',
        audience,
        accessTokenTTL: 3_600,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
})
// Requested once, as by a site that signs users in silently.
provider.Client.prototype.redirectUriAllowed = () => true

const handle = provider.callback()
const server = createServer((request, response) => {
  if (request.url?.startsWith('/interaction/'))
    void provider.interactionFinished(request, response, { login: { accountId: '1' }, consent: {} })
  else void handle(request, response)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object')
    console.log(JSON.stringify({ listening: `http://127.0.0.1:${address.port}` }))
})
