import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWK } from 'jose'
import type { UpstreamProvider } from '../../src/config/config.ts'
import { hashToken, newToken } from '../../src/kernel/opaque-tokens.ts'
import { freePort } from './free-port.ts'

/** How a provider deviates from the protocol. */
export type Lies = {
  /** Claims that replace those of the ID token; undefined removes one. */
  claims?: Record<string, unknown>
  /** How the ID token is signed: not at all, with a key that is not published, or with the client secret. */
  signature?: 'none' | 'unknown key' | 'secret'
  metadata?: Record<string, unknown>
  /** Response instead of the real one, keyed by path. */
  responses?: Record<string, (response: ServerResponse) => void | Promise<void>>
  /** Delay, in milliseconds, of each response. */
  delayMs?: number
}

/** Claims about the user who signs in. */
export type ProviderUser = { sub: string; email?: string; email_verified?: unknown; name?: string }

type Code = { user: ProviderUser; nonce: string; challenge: string; redirectUri: string }

const CLIENT_SECRET = 'a secret of the client with 32 letters'

/**
 * Starts an OpenID provider that can lie. It has no pages: a test passes the URL of the authorization request to
 * `signIn`, and gets the URL to which the browser would be redirected.
 */
export async function startForgedProvider(clientId = 'mokuroku') {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const codes = new Map<string, Code>()
  const users = new Map<string, ProviderUser>()
  const requests: string[] = []
  const state: { lies: Lies; key: CryptoKey; jwk: JWK; showsEmailInIdToken: boolean } = {
    lies: {},
    showsEmailInIdToken: true,
    ...(await newKey()),
  }

  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    authorization_response_iss_parameter_supported: true,
    ...state.lies.metadata,
  })

  async function idToken({ user, nonce }: Code): Promise<string> {
    const now = Math.floor(Date.now() / 1_000)
    const { sub, ...profile } = user
    const claims = {
      iss: issuer,
      aud: clientId,
      sub,
      nonce,
      iat: now,
      exp: now + 300,
      ...(state.showsEmailInIdToken && profile),
      ...state.lies.claims,
    }
    const { signature } = state.lies
    switch (signature) {
      case 'none':
        return new UnsecuredJWT(claims).encode()
      case 'secret':
        return new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256' })
          .sign(new TextEncoder().encode(CLIENT_SECRET))
      case 'unknown key': {
        const { key } = await newKey()
        return new SignJWT(claims)
          .setProtectedHeader({ alg: 'ES256', kid: String(state.jwk.kid) })
          .sign(key)
      }
      default:
        return new SignJWT(claims)
          .setProtectedHeader({ alg: 'ES256', kid: String(state.jwk.kid) })
          .sign(state.key)
    }
  }

  async function redeem(request: IncomingMessage): Promise<[status: number, body: object]> {
    const fields = new URLSearchParams(await readText(request))
    const secret = Buffer.from(
      `${clientId}:${encodeURIComponent(CLIENT_SECRET).replaceAll('%20', '+')}`,
    )
    if (request.headers.authorization !== `Basic ${secret.toString('base64')}`)
      return [401, { error: 'invalid_client' }]
    const code = codes.get(fields.get('code') ?? '')
    codes.delete(fields.get('code') ?? '')
    if (
      !code ||
      hashToken(fields.get('code_verifier') ?? '') !== code.challenge ||
      fields.get('redirect_uri') !== code.redirectUri
    )
      return [400, { error: 'invalid_grant' }]
    const accessToken = newToken()
    users.set(accessToken, code.user)
    return [
      200,
      {
        access_token: accessToken,
        token_type: 'Bearer',
        expires_in: 300,
        id_token: await idToken(code),
      },
    ]
  }

  async function respond(request: IncomingMessage): Promise<[status: number, body: object]> {
    switch (request.url) {
      case '/.well-known/openid-configuration':
        return [200, metadata()]
      case '/jwks':
        return [200, { keys: [state.jwk] }]
      case '/token':
        return redeem(request)
      case '/userinfo': {
        const user = users.get(String(request.headers.authorization).replace('Bearer ', ''))
        return user ? [200, user] : [401, { error: 'invalid_token' }]
      }
      default:
        return [404, {}]
    }
  }

  const server = createServer(async (request, response) => {
    const { url = '/' } = request
    requests.push(url)
    await sleep(state.lies.delayMs ?? 0)
    const lie = state.lies.responses?.[url]
    if (lie) return lie(response)
    const [status, body] = await respond(request)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))

  return {
    issuer,
    /** Paths of the received requests. */
    requests,
    /** The settings of this provider. */
    settings: (name: string, label = name): NodeJS.ProcessEnv => ({
      [`UPSTREAM_${name.toUpperCase()}_ISSUER`]: issuer,
      [`UPSTREAM_${name.toUpperCase()}_CLIENT_ID`]: clientId,
      [`UPSTREAM_${name.toUpperCase()}_CLIENT_SECRET`]: CLIENT_SECRET,
      [`UPSTREAM_${name.toUpperCase()}_LABEL`]: label,
    }),
    provider: (name = 'forged'): UpstreamProvider => ({
      name,
      issuer,
      issuerUrl: issuer,
      clientId,
      clientSecret: CLIENT_SECRET,
      label: name,
    }),
    lie(lies: Lies) {
      state.lies = lies
    },
    /** Whether the ID token contains the address, or only the userinfo endpoint. */
    showEmailInIdToken(shows: boolean) {
      state.showsEmailInIdToken = shows
    },
    /** Replaces the signing key. */
    async rotateKeys() {
      Object.assign(state, await newKey())
    },
    /** Signs a user in. @returns the callback's URL */
    signIn(authorizationUrl: string, user: ProviderUser): string {
      const { searchParams } = new URL(authorizationUrl)
      const parameter = (name: string) => searchParams.get(name) ?? ''
      const code = newToken()
      const redirectUri = parameter('redirect_uri')
      codes.set(code, {
        user,
        redirectUri,
        nonce: parameter('nonce'),
        challenge: parameter('code_challenge'),
      })
      const response = new URLSearchParams({ code, state: parameter('state'), iss: issuer })
      return `${redirectUri}?${response.toString()}`
    },
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

export type ForgedProvider = Awaited<ReturnType<typeof startForgedProvider>>

async function newKey(): Promise<{ key: CryptoKey; jwk: JWK }> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  return {
    key: privateKey,
    jwk: { ...(await exportJWK(publicKey)), kid: newToken(), alg: 'ES256', use: 'sig' },
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
