import { env } from 'node:process'

const issuer = 'http://localhost:14790/oidc'
const clientId = 'mk_example'
const secret = env.CLIENT_SECRET

async function post(path, form) {
  const body = new URLSearchParams(form)
  body.set('client_id', clientId) // only client_secret_post
  body.set('client_secret', secret) // only client_secret_post
  const response = await fetch(issuer + path, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` }, // only client_secret_basic
    body,
  })
  return response.json()
}

const token = await post('/token', { grant_type: 'client_credentials', scope: 'catalog:read' })
if (token.error) throw new Error(token.error_description)

const response = await fetch('http://localhost:14790/api/v3/open/search?q=clannad', {
  headers: { authorization: `Bearer ${token.access_token}` },
})
const { data } = await response.json()
for (const { type, id, title } of data.items) console.log(type, id, title)
