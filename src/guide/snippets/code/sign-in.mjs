// First: curl -o sdk.js 'http://localhost:14790/assets/sdk.js'
import { createServer } from 'node:http'
import { env } from 'node:process' // only client_secret_basic, client_secret_post
import { claimsOf, finishSignIn, startSignIn } from './sdk.js'

const app = {
  server: 'http://localhost:14790',
  issuer: 'http://localhost:14790/oidc',
  clientId: 'mk_example',
  clientSecret: env.CLIENT_SECRET, // only client_secret_basic, client_secret_post
  authentication: 'client_secret_post', // only client_secret_post
}
const redirectUri = 'http://127.0.0.1:8976/callback'
const { url, pending } = await startSignIn(app, { redirectUri, scope: 'openid profile' })

const redirected = await new Promise((resolve) => {
  const server = createServer((request, response) => {
    const { pathname, href } = new URL(request.url, redirectUri)
    if (pathname !== '/callback') return response.writeHead(404).end()
    response.setHeader('connection', 'close').end('Go back to the program.')
    server.close()
    resolve(href)
  })
  server.listen(8976, '127.0.0.1', () => console.log(`Open this address and sign in:\n${url}`))
})
const tokens = await finishSignIn(app, pending, redirected)
console.log(claimsOf(tokens))
