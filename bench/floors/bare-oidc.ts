import { exportJWK, generateKeyPair } from 'jose'
import { createServer } from 'node:http'
import { Provider } from '../../src/identity/provider/oidc-provider.ts'

/**
 * Bare oidc-provider: one client with its secret in the configuration, the in-memory adapter, and tokens like ours.
 * Arguments: client ID, client secret, audience.
 */
const [, , client_id = '', client_secret = '', audience = ''] = process.argv

const { privateKey } = await generateKeyPair('ES256', { extractable: true })
const jwk = await exportJWK(privateKey)
const provider = new Provider('http://127.0.0.1', {
  clients: [
    {
      client_id,
      client_secret,
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      scope: 'catalog:full',
    },
  ],
  clientDefaults: { id_token_signed_response_alg: 'ES256' },
  jwks: { keys: [{ ...jwk, kty: jwk.kty ?? '', alg: 'ES256', use: 'sig' }] },
  scopes: ['catalog:full'],
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => audience,
      getResourceServerInfo: () => ({
        scope: 'catalog:full',
        audience,
        accessTokenTTL: 3_600,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
})

const server = createServer(provider.callback())
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object')
    console.log(JSON.stringify({ listening: `http://127.0.0.1:${address.port}` }))
})
