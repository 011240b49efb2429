// Signs a user in to a desktop program and prints the user: the authorization code flow with PKCE (docs/interface.md §5).
// Needs only Node 20. Start the service, then run: node examples/sign-in.mjs [data/demo.json]
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const { base_url, apps } = JSON.parse(readFileSync(process.argv[2] ?? 'data/demo.json', 'utf8'))
const app = apps.find(({ client_type }) => client_type === 'public')
const redirectUri = app.redirect_uris[0]

const discovery = await fetch(`${base_url}/oidc/.well-known/openid-configuration`)
const provider = await discovery.json()

// Two secrets of this attempt: the state binds the response to it, the verifier binds the code to this program.
const state = randomBytes(16).toString('base64url')
const verifier = randomBytes(32).toString('base64url')
const request = new URL(provider.authorization_endpoint)
request.search = new URLSearchParams({
  response_type: 'code',
  client_id: app.client_id,
  redirect_uri: redirectUri,
  scope: `openid profile email offline_access ${app.scope}`,
  prompt: 'consent',
  state,
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
}).toString()

const redirected = waitForRedirect()
console.log(`Open this in a browser and sign in:\n\n${request.href}\n`)
const response = await redirected
if (response.get('state') !== state)
  throw new Error('The response does not belong to this request.')
if (response.get('iss') !== provider.issuer) throw new Error('The response is from another issuer.')
if (response.has('error'))
  throw new Error(`${response.get('error')}: ${response.get('error_description')}`)

const exchange = await fetch(provider.token_endpoint, {
  method: 'POST',
  body: new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: app.client_id,
    code: response.get('code'),
    redirect_uri: redirectUri,
    code_verifier: verifier,
  }),
})
const tokens = await exchange.json()
if (!exchange.ok) throw new Error(`${tokens.error}: ${tokens.error_description}`)
console.log('Granted:', tokens.scope)

const me = await fetch(provider.userinfo_endpoint, {
  headers: { authorization: `Bearer ${tokens.access_token}` },
})
console.log('Signed in:', await me.json())
console.log(`To try the user API for an hour:\n\nUSER_TOKEN=${tokens.access_token}\n`)

/** Resolves with the parameters of the redirect. */
function waitForRedirect() {
  const { hostname, port, pathname } = new URL(redirectUri)
  return new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      const url = new URL(request.url, redirectUri)
      if (url.pathname !== pathname) return response.writeHead(404).end()
      response.setHeader('connection', 'close')
      response.end('Done. You can close this page.')
      server.close()
      resolve(url.searchParams)
    })
    server.on('error', reject)
    server.listen(Number(port), hostname)
  })
}
