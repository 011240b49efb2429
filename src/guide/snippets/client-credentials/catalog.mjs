// First: curl -o sdk.js 'http://localhost:14790/assets/sdk.js'
import { env } from 'node:process'
import { appTokens, createClient, search } from './sdk.js'

const server = 'http://localhost:14790'
const token = appTokens({
  server,
  issuer: 'http://localhost:14790/oidc',
  clientId: 'mk_example',
  clientSecret: env.CLIENT_SECRET,
  authentication: 'client_secret_post', // only client_secret_post
  scope: 'catalog:read',
})
const client = createClient({ server, token })
const { items } = await search(client, { q: 'clannad' })
for (const { type, id, title } of items) console.log(type, id, title)
