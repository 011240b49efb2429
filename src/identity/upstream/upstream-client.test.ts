import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { startForgedProvider, type ForgedProvider, type Lies } from '#test/forged-provider.ts'
import { FORWARD_PROXY_MISSING, startForwardProxy } from '#test/forward-proxy.ts'
import { freePort } from '#test/free-port.ts'
import { DIRECT, useProxy } from '../../outbound/proxy.ts'
import { UpstreamClient } from './upstream-client.ts'
import { UpstreamError, type UpstreamFailure } from './upstream-error.ts'

const REDIRECT_URI = 'http://localhost:1/sign-in/with/forged/callback'
const SECRETS = { nonce: 'n'.repeat(43), codeVerifier: 'v'.repeat(43) }
const STATE = 's'.repeat(43)
const ANN = { sub: 'ann', email: 'Ann@Example.org', email_verified: true, name: 'Ann' }
const NOW = () => Math.floor(Date.now() / 1_000)

describe('UpstreamClient', () => {
  let provider: ForgedProvider
  let client: UpstreamClient
  before(async () => {
    provider = await startForgedProvider()
    client = newClient()
  })
  after(() => provider.close())
  afterEach(() => {
    provider.lie({})
    provider.showEmailInIdToken(true)
  })

  const newClient = (deadlineMs = 5_000) => new UpstreamClient(provider.provider(), { deadlineMs })

  const authorize = (of = client) =>
    of.authorizationUrl({ redirectUri: REDIRECT_URI, state: STATE, language: 'en', ...SECRETS })

  const redeem = (url: string | URL, of = client) =>
    of.redeem({ url: new URL(url), state: STATE, ...SECRETS })

  /** Signs in with a client, which must succeed. */
  async function signIn(user = ANN as Parameters<ForgedProvider['signIn']>[1], of = client) {
    return redeem(provider.signIn((await authorize(of)).href, user), of)
  }

  const failsAs =
    (failure: UpstreamFailure, message = /./) =>
    (error: unknown) =>
      error instanceof UpstreamError && error.failure === failure && message.test(error.message)

  it('sends PKCE, state, nonce and the language of the page', async () => {
    const { searchParams } = await authorize()
    assert.equal(searchParams.get('state'), STATE)
    assert.equal(searchParams.get('nonce'), SECRETS.nonce)
    assert.equal(searchParams.get('code_challenge_method'), 'S256')
    assert.equal(searchParams.get('response_type'), 'code')
    assert.equal(searchParams.get('redirect_uri'), REDIRECT_URI)
    assert.equal(searchParams.get('ui_locales'), 'en')
  })

  it('can require a new sign-in, and rejects an old one if the provider states the sign-in time', async () => {
    const { searchParams } = await authorize()
    assert.ok(!searchParams.has('max_age'))
    const signInAgain = async (claims: Record<string, unknown>) => {
      const url = await client.authorizationUrl({
        redirectUri: REDIRECT_URI,
        state: STATE,
        language: 'en',
        requiresSignIn: true,
        ...SECRETS,
      })
      assert.ok(!url.searchParams.has('prompt'))
      assert.equal(url.searchParams.get('max_age'), '0')
      const signedInSince = new Date()
      provider.lie({ claims })
      const callback = new URL(provider.signIn(url.href, ANN))
      return client.redeem({ url: callback, state: STATE, signedInSince, ...SECRETS })
    }
    assert.equal((await signInAgain({})).subject, 'ann')
    assert.equal((await signInAgain({ auth_time: NOW() })).subject, 'ann')
    await assert.rejects(signInAgain({ auth_time: NOW() - 3_600 }), failsAs('stale'))
  })

  it('returns the identity from the ID token', async () => {
    const user = await signIn()
    assert.deepEqual(await user.readIdentity(), {
      issuer: provider.issuer,
      subject: 'ann',
      email: 'Ann@Example.org',
      email_verified: true,
      name: 'Ann',
    })
  })

  it('requests the userinfo endpoint only if the ID token has no email address', async () => {
    provider.showEmailInIdToken(false)
    const user = await signIn()
    const before = provider.requests.filter((path) => path === '/userinfo').length
    assert.equal((await user.readIdentity()).email, 'Ann@Example.org')
    const count = provider.requests.filter((path) => path === '/userinfo').length
    assert.equal(count, before + 1)
  })

  it('rejects a userinfo response about another user', async () => {
    provider.showEmailInIdToken(false)
    const user = await signIn()
    provider.lie({
      responses: {
        '/userinfo': (response) =>
          void response
            .setHeader('content-type', 'application/json')
            .end(JSON.stringify({ sub: 'eve', email: 'eve@example.org' })),
      },
    })
    await assert.rejects(user.readIdentity(), failsAs('rejected'))
  })

  it('treats an address as verified only if email_verified is true, and drops values it cannot store', async () => {
    for (const [claims, expected] of [
      [{ email_verified: 'true' }, { email: ANN.email, email_verified: false, name: 'Ann' }],
      [{ email: 'no address' }, { email: null, email_verified: false, name: 'Ann' }],
      [
        { email: 7, name: { first: 'Ann' } },
        { email: null, email_verified: false, name: null },
      ],
      [
        { name: 'a\nb', preferred_username: 'annie' },
        { email: ANN.email, email_verified: true, name: 'annie' },
      ],
    ] as const) {
      provider.lie({ claims })
      const { email, email_verified, name } = await (await signIn()).readIdentity()
      assert.deepEqual({ email, email_verified, name }, expected)
    }
  })

  const LIES: Record<string, Lies> = {
    'another issuer': { claims: { iss: 'https://evil.example' } },
    'another audience': { claims: { aud: 'another-client' } },
    'several audiences without azp': { claims: { aud: ['mokuroku', 'another-client'] } },
    'another authorized party': { claims: { azp: 'another-client' } },
    'another nonce': { claims: { nonce: 'x'.repeat(43) } },
    'no nonce': { claims: { nonce: undefined } },
    'an expired token': { claims: { exp: NOW() - 3_600 } },
    'a token issued in the future': { claims: { iat: NOW() + 3_600 } },
    'a token that is not valid yet': { claims: { nbf: NOW() + 3_600 } },
    'no subject': { claims: { sub: undefined } },
    'an empty subject': { claims: { sub: '' } },
    'a subject that is too long': { claims: { sub: 'x'.repeat(256) } },
    'a subject with NUL': { claims: { sub: 'a\0' } },
    'a subject that is no string': { claims: { sub: 7 } },
    'no signature': { signature: 'none' },
    'an unknown key': { signature: 'unknown key' },
    'the client secret as the key': { signature: 'secret' },
    'no ID token': {
      responses: {
        '/token': (response) =>
          void response
            .setHeader('content-type', 'application/json')
            .end(JSON.stringify({ access_token: 'x', token_type: 'Bearer' })),
      },
    },
    'HTML instead of JSON': {
      responses: { '/token': (response) => void response.end('<h1>Hello</h1>') },
    },
  }
  for (const [name, lies] of Object.entries(LIES))
    it(`rejects an ID token response with ${name}`, async () => {
      const url = await authorize()
      provider.lie(lies)
      await assert.rejects(redeem(provider.signIn(url.href, ANN)), failsAs('rejected'))
    })

  it('rejects unsigned tokens even if the metadata allows them', async () => {
    provider.lie({
      signature: 'none',
      metadata: { id_token_signing_alg_values_supported: ['none', 'HS256', 'ES256'] },
    })
    await assert.rejects(signIn(ANN, newClient()), failsAs('rejected'))
  })

  it('rejects a response with a wrong state, or with a wrong or missing issuer (RFC 9207)', async () => {
    for (const [name, value] of [
      ['state', 'x'.repeat(43)],
      ['iss', 'https://evil.example'],
      ['iss', undefined],
    ] as const) {
      const url = new URL(provider.signIn((await authorize()).href, ANN))
      if (value === undefined) url.searchParams.delete(name)
      else url.searchParams.set(name, value)
      await assert.rejects(redeem(url), failsAs('rejected'))
    }
  })

  it('rejects a code that was already redeemed or has a different verifier', async () => {
    const url = provider.signIn((await authorize()).href, ANN)
    await redeem(url)
    await assert.rejects(redeem(url), failsAs('rejected', /invalid_grant/))
    const stolen = new URL(provider.signIn((await authorize()).href, ANN))
    const other = { url: stolen, state: STATE, nonce: SECRETS.nonce, codeVerifier: 'w'.repeat(43) }
    await assert.rejects(client.redeem(other), failsAs('rejected', /invalid_grant/))
  })

  it('distinguishes refusals and outages from invalid responses', async () => {
    for (const [error, failure] of [
      ['access_denied', 'denied'],
      ['temporarily_unavailable', 'unavailable'],
      ['server_error', 'unavailable'],
      ['invalid_request', 'rejected'],
    ] as const) {
      const url = `${REDIRECT_URI}?${new URLSearchParams({ error, state: STATE, iss: provider.issuer }).toString()}`
      await assert.rejects(redeem(url), failsAs(failure))
    }
    await authorize()
    const statuses = [500, 503, 429]
    for (const status of statuses) {
      const url = provider.signIn((await authorize()).href, ANN)
      provider.lie({ responses: { '/token': (response) => void response.writeHead(status).end() } })
      await assert.rejects(redeem(url), failsAs('unavailable'))
    }
  })

  it('caches metadata and keys, and shares one discovery among concurrent requests', async () => {
    const fresh = newClient()
    const from = provider.requests.length
    await Promise.all([authorize(fresh), authorize(fresh), authorize(fresh)])
    await signIn(ANN, fresh)
    await signIn(ANN, fresh)
    const paths = provider.requests.slice(from)
    assert.equal(paths.filter((path) => path.includes('well-known')).length, 1)
    assert.equal(paths.filter((path) => path === '/jwks').length, 1)
  })

  it('completes a sign-in during which the provider rotates its keys', async () => {
    await signIn()
    const url = await authorize()
    await provider.rotateKeys()
    assert.equal((await redeem(provider.signIn(url.href, ANN))).subject, 'ann')
  })

  it('reads metadata again after a rejected response', async () => {
    const fresh = newClient()
    const url = await authorize(fresh)
    provider.lie({ claims: { nonce: 'x' } })
    await assert.rejects(redeem(provider.signIn(url.href, ANN), fresh))
    const from = provider.requests.length
    await authorize(fresh)
    assert.equal(provider.requests.length, from + 1)
  })

  it('does not cache metadata that it cannot use', async () => {
    for (const metadata of [
      { authorization_endpoint: undefined },
      { authorization_endpoint: 5 },
      { authorization_endpoint: 'nonsense' },
      { token_endpoint_auth_methods_supported: 5 },
    ]) {
      const fresh = newClient()
      provider.lie({ metadata })
      await assert.rejects(authorize(fresh), failsAs('rejected'), JSON.stringify(metadata))
      provider.lie({})
      assert.ok(await authorize(fresh), JSON.stringify(metadata))
    }
  })

  it('reports the provider as unavailable if it is slow or does not respond', async () => {
    provider.lie({ delayMs: 2_000 })
    const began = performance.now()
    await assert.rejects(authorize(newClient(200)), failsAs('unavailable'))
    assert.ok(performance.now() - began < 1_500)
    const gone = `http://127.0.0.1:${await freePort()}`
    const nowhere = new UpstreamClient({ ...provider.provider(), issuerUrl: gone, issuer: gone })
    await assert.rejects(authorize(nowhere), failsAs('unavailable'))
  })

  it('reports the provider as unavailable if a response body does not end', async () => {
    provider.lie({
      responses: {
        '/.well-known/openid-configuration': (response) =>
          void response.writeHead(200, { 'content-type': 'application/json' }).write('{"issuer":'),
      },
    })
    await assert.rejects(authorize(newClient(200)), failsAs('unavailable'))
  })

  it('stops reading a huge discovery document', async () => {
    let sent = 0
    provider.lie({
      responses: {
        '/.well-known/openid-configuration': (response) => {
          response.writeHead(200, { 'content-type': 'application/json' })
          const write = () => {
            while (!response.destroyed && response.write(' '.repeat(65_536))) sent += 65_536
          }
          response.on('drain', write)
          write()
        },
      },
    })
    await assert.rejects(authorize(newClient()), failsAs('rejected', /too large/))
    assert.ok(sent < 64 * 2 ** 20, `${sent} bytes were sent`)
  })

  it('never follows a redirect', async () => {
    const from = provider.requests.length
    provider.lie({
      responses: {
        '/.well-known/openid-configuration': (response) =>
          void response.writeHead(302, { location: `${provider.issuer}/internal` }).end(),
      },
    })
    await assert.rejects(authorize(newClient()), failsAs('rejected', /302/))
    assert.ok(!provider.requests.slice(from).includes('/internal'))
  })

  it('rejects metadata with a different issuer', async () => {
    provider.lie({ metadata: { issuer: 'https://evil.example' } })
    await assert.rejects(authorize(newClient()), failsAs('rejected'))
  })

  it('uses the outbound proxy', { skip: FORWARD_PROXY_MISSING }, async () => {
    const proxy = await startForwardProxy()
    useProxy({ httpsProxy: proxy.url, httpProxy: undefined, noProxy: [] })
    const issuer = 'https://provider.invalid'
    const far = new UpstreamClient({ ...provider.provider(), issuerUrl: issuer, issuer })
    try {
      await assert.rejects(authorize(far), failsAs('unavailable', /proxy/))
      assert.deepEqual(proxy.requests(), ['CONNECT provider.invalid:443'])
    } finally {
      useProxy(DIRECT)
      await proxy.stop()
    }
  })

  it('never includes a token, code or claim in its errors', async () => {
    const url = await authorize()
    provider.lie({ claims: { nonce: 'wrong', email: 'secret@example.org' } })
    const callback = provider.signIn(url.href, ANN)
    await assert.rejects(redeem(callback), ({ message }: Error) => {
      assert.doesNotMatch(message, /secret@example|eyJ/)
      assert.ok(!message.includes(new URL(callback).searchParams.get('code') ?? '-'))
      return true
    })
  })
})
