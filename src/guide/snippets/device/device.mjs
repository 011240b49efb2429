// First: curl -o sdk.js 'http://localhost:14790/assets/sdk.js'
import { env } from 'node:process' // only client_secret_basic, client_secret_post
import { claimsOf, finishDevice, startDevice } from './sdk.js'

const app = {
  server: 'http://localhost:14790',
  issuer: 'http://localhost:14790/oidc',
  clientId: 'mk_example',
  clientSecret: env.CLIENT_SECRET, // only client_secret_basic, client_secret_post
  authentication: 'client_secret_post', // only client_secret_post
}
const device = await startDevice(app, { scope: 'openid profile' })
console.log(`Open ${device.verification_uri} and enter ${device.user_code}`)
const tokens = await finishDevice(app, device)
console.log(claimsOf(tokens))
