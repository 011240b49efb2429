// Signs a user in to a desktop program and prints the user: the authorization code flow with PKCE (docs/interface.md §5).
// Needs only Node 20. Start the service, then run: node examples/sign-in.mjs [data/demo.json]
import { readFileSync } from 'node:fs'
import { claimsOf, finishSignIn, startSignIn } from '../sdk/index.js'
import { listenForRedirect } from '../sdk/node.js'

const { base_url, apps } = JSON.parse(readFileSync(process.argv[2] ?? 'data/demo.json', 'utf8'))
const { client_id, redirect_uris, scope } = apps.find(({ client_type }) => client_type === 'public')
const app = { server: base_url, clientId: client_id }
const [redirectUri] = redirect_uris

const listener = await listenForRedirect(redirectUri)
const { url, pending } = await startSignIn(app, {
  redirectUri,
  scope: `openid profile email offline_access ${scope}`,
})
console.log(`Open this in a browser and sign in:\n\n${url}\n`)
const tokens = await finishSignIn(app, pending, await listener.redirected)
console.log('Granted:', tokens.scope)
console.log('Signed in:', claimsOf(tokens))
console.log(`To try the user API for an hour:\n\nUSER_TOKEN=${tokens.access_token}\n`)
