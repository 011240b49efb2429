import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { env } from 'node:process' // only client_secret_basic, client_secret_post

const issuer = 'http://localhost:14790/oidc'
const clientId = 'mk_example'
const secret = env.CLIENT_SECRET // only client_secret_basic, client_secret_post
const redirectUri = 'http://127.0.0.1:8976/callback'

async function post(path, form) {
  const body = new URLSearchParams(form)
  body.set('client_id', clientId) // only client_secret_post, none
  body.set('client_secret', secret) // only client_secret_post
  const response = await fetch(issuer + path, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` }, // only client_secret_basic
    body,
  })
  return response.json()
}

const state = randomBytes(32).toString('base64url')
const verifier = randomBytes(32).toString('base64url')
const query = new URLSearchParams({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: redirectUri,
  scope: 'openid profile',
  state,
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
})
console.log(`Open this address and sign in:\n${issuer}/auth?${query}`)

const answer = await new Promise((resolve) => {
  const server = createServer((request, response) => {
    const url = new URL(request.url, redirectUri)
    if (url.pathname !== '/callback') return response.writeHead(404).end()
    response.setHeader('connection', 'close').end('Go back to the program.')
    server.close()
    resolve(url.searchParams)
  })
  server.listen(8976, '127.0.0.1')
})
if (answer.get('state') !== state) throw new Error('That is no answer to this question')
if (answer.has('error')) throw new Error(answer.get('error_description'))

const token = await post('/token', {
  grant_type: 'authorization_code',
  code: answer.get('code'),
  code_verifier: verifier,
  redirect_uri: redirectUri,
})
if (token.error) throw new Error(token.error_description)

const me = await fetch(`${issuer}/me`, {
  headers: { authorization: `Bearer ${token.access_token}` },
})
console.log(await me.json())
