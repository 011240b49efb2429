import { env } from 'node:process' // only client_secret_basic, client_secret_post
import { setTimeout } from 'node:timers/promises'

const issuer = 'http://localhost:14790/oidc'
const clientId = 'mk_example'
const secret = env.CLIENT_SECRET // only client_secret_basic, client_secret_post

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

const device = await post('/device/auth', { scope: 'openid profile' })
if (device.error) throw new Error(device.error_description)
console.log(`Open ${device.verification_uri} and enter ${device.user_code}`)

let interval = device.interval ?? 5
let token
do {
  await setTimeout(interval * 1000)
  token = await post('/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: device.device_code,
  })
  if (token.error === 'slow_down') interval += 5
} while (token.error === 'authorization_pending' || token.error === 'slow_down')
if (token.error) throw new Error(token.error_description)

const me = await fetch(`${issuer}/me`, {
  headers: { authorization: `Bearer ${token.access_token}` },
})
console.log(await me.json())
