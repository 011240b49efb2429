import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, it } from 'node:test'
import {
  decodeJwt,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  importJWK,
  SignJWT,
  type JWTHeaderParameters,
} from 'jose'
import { describeOnDatabase } from '#test/databases.ts'
import {
  authorizationResponse,
  authorizationRequest,
  basicAuthorization,
  createClient,
  createUser,
  obtainTokens,
  postToProvider,
  refresh,
  sendTokenRequest,
  type TestUser,
  type Tokens,
} from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { hashToken } from '../../kernel/opaque-tokens.ts'
import { listSigningKeys } from '../tokens/keys.ts'

const CATALOG = '/api/v3/open/galgames/1'
const ME = '/oidc/me'
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describeOnDatabase('a token of the wrong kind', (engine) => {
  let service: TestService
  let app: TestApp
  let other: TestApp
  let user: TestUser
  let tokens: Tokens & { browser: PlainBrowser; code: string }
  let opaque: string
  let application: string
  let otherTokens: Tokens
  let deviceCode: string
  before(async () => {
    service = await shareService(engine)
    app = await createClient(service, { applicationType: 'native' })
    other = await createClient(service)
    user = await createUser(service)
    tokens = await obtainTokens(service, {
      app,
      user,
      scope: 'openid profile offline_access catalog:read',
      prompt: 'consent',
    })
    opaque = (await obtainTokens(service, { app, user, scope: 'openid email' })).access_token
    application = await service.token('catalog:full')
    otherTokens = await obtainTokens(service, {
      app: other,
      user,
      scope: 'openid offline_access',
      prompt: 'consent',
    })
    const device = await postToProvider(
      `${service.url}/oidc/device/auth`,
      { scope: 'openid' },
      basicAuthorization(app),
    )
    deviceCode = String(device.body['device_code'])
  })
  after(() => service.close())

  const status = async (path: string, token: string) => (await service.get(path, token)).status

  it('is rejected where bearer tokens are accepted', async () => {
    assert.notEqual(await status(CATALOG, tokens.access_token), 401)
    assert.equal(await status(ME, tokens.access_token), 200)
    assert.equal(await status(ME, opaque), 200)
    assert.equal(await status(CATALOG, opaque), 401, 'an opaque token is no API token')
    assert.equal(await status(ME, application), 403, 'an application has no user')
    const wrong = [
      tokens.id_token ?? '',
      tokens.refresh_token ?? '',
      tokens.code,
      deviceCode,
      app.secret,
      app.clientId,
      `${app.clientId}:${app.secret}`,
      'presented:jwt',
      tokens.browser.cookies()['mokuroku-session'] ?? '',
      decodeJwt(tokens.access_token).jti ?? '',
    ]
    for (const token of wrong)
      for (const path of [CATALOG, ME])
        assert.equal(await status(path, token), 401, `${path} ${token}`)
  })

  it('is rejected as a code, refresh token or device code', async () => {
    const held = [
      tokens.access_token,
      tokens.id_token ?? '',
      opaque,
      application,
      tokens.refresh_token ?? '',
      deviceCode,
      tokens.code,
    ]
    const grants: [string, Record<string, string>][] = [
      [
        'code',
        {
          grant_type: 'authorization_code',
          redirect_uri: 'http://127.0.0.1:14792/callback',
          code_verifier: 'A'.repeat(43),
        },
      ],
      ['refresh_token', { grant_type: 'refresh_token' }],
      ['device_code', { grant_type: 'urn:ietf:params:oauth:grant-type:device_code' }],
    ]
    for (const [name, form] of grants)
      for (const token of held) {
        if (name === 'refresh_token' && token === tokens.refresh_token) continue
        // Redeeming the code again would end the grant.
        if (name === 'code' && token === tokens.code) continue
        const { status, body } = await sendTokenRequest(service, app, { ...form, [name]: token })
        assert.equal(status, 400, `${name}: ${JSON.stringify(body)}`)
        assert.equal(body['access_token'], undefined)
      }
  })

  it('is rejected as an ID token hint for sign-in or sign-out', async () => {
    for (const hint of [
      tokens.access_token,
      opaque,
      application,
      otherTokens.id_token ?? '',
      'x',
      'a.b.c',
    ]) {
      const { path } = authorizationRequest(app, { id_token_hint: hint, prompt: 'none' })
      const response = authorizationResponse(await tokens.browser.get(path))
      assert.equal(response.get('code'), null)
      assert.notEqual(response.get('error'), null)
      const end = await new PlainBrowser(service.url).get(
        `/oidc/session/end?id_token_hint=${encodeURIComponent(hint)}`,
      )
      if (hint !== otherTokens.id_token) assert.equal(end.status, 400, hint)
    }
  })

  it('is rejected for a client it was not issued to', async () => {
    assert.equal(
      (await refresh(service, app, otherTokens.refresh_token ?? '')).body['error'],
      'invalid_grant',
    )
    for (const token of [otherTokens.refresh_token ?? '', otherTokens.access_token]) {
      const seen = await postToProvider(
        `${service.url}/oidc/token/introspection`,
        { token },
        basicAuthorization(app),
      )
      assert.notEqual(seen.body['active'], true)
      await postToProvider(
        `${service.url}/oidc/token/revocation`,
        { token },
        basicAuthorization(app),
      )
    }
    assert.equal(
      await status(ME, otherTokens.access_token),
      200,
      'nor can it be revoked by another',
    )
    assert.equal((await refresh(service, other, otherTokens.refresh_token ?? '')).status, 200)
  })

  it('is rejected if only its stored hash is presented', async () => {
    const pass = (token: string) => [hashToken(token), `sha256:${hashToken(token)}`]
    for (const token of pass(opaque)) assert.equal(await status(ME, token), 401, 'access token')
    for (const refreshToken of pass(tokens.refresh_token ?? '')) {
      assert.equal((await refresh(service, app, refreshToken)).status, 400, 'refresh token')
      const seen = await postToProvider(
        `${service.url}/oidc/token/introspection`,
        { token: refreshToken },
        basicAuthorization(app),
      )
      assert.equal(seen.body['active'], false)
      await postToProvider(
        `${service.url}/oidc/token/revocation`,
        { token: refreshToken },
        basicAuthorization(app),
      )
    }
    for (const device_code of pass(deviceCode)) {
      const { body } = await sendTokenRequest(service, app, {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code,
      })
      assert.equal(body['error'], 'invalid_grant')
    }
    const { path } = authorizationRequest(app)
    const form = Object.fromEntries(new URLSearchParams(path.slice(path.indexOf('?') + 1)))
    const { body } = await postToProvider(
      `${service.url}/oidc/request`,
      form,
      basicAuthorization(app),
    )
    const [prefix, id = ''] = String(body['request_uri']).split(/(?<=request_uri:)/)
    for (const name of pass(id)) {
      const query = new URLSearchParams({
        client_id: app.clientId,
        request_uri: `${prefix}${name}`,
      })
      const visit = await new PlainBrowser(service.url).get(`/oidc/auth?${query.toString()}`)
      assert.equal(visit.status, 400, 'pushed request')
    }
    assert.equal((await refresh(service, app, tokens.refresh_token ?? '')).status, 200)
  })
})

describeOnDatabase('a forged JWT', (engine) => {
  let service: TestService
  let good: string
  before(async () => {
    service = await shareService(engine)
    good = await service.token('catalog:full')
  })
  after(() => service.close())

  const refused = async (token: string, why: string) => {
    for (const path of [CATALOG, ME]) {
      const response = await service.get(path, token)
      assert.equal(response.status, 401, `${why} at ${path}`)
      const challenge = response.headers.get('www-authenticate') ?? ''
      assert.match(challenge, path === CATALOG ? /^Bearer .*error="invalid_token"/ : /^Bearer /)
      if (path === CATALOG) assert.match(await response.text(), /"code":"AUTH_TOKEN_INVALID"/, why)
    }
  }

  it('is rejected if it has no signature, a symmetric signature or an embedded key', async () => {
    const [head = '', payload = '', signature = ''] = good.split('.')
    const key = (await listSigningKeys(service.db, undefined)).find(({ alg }) => alg === 'ES256')
    assert.ok(key)
    const claims = decodeJwt(good)
    const { d: _d, ...publicJwk } = key.privateJwk
    for (const alg of ['none', 'None', 'NONE', '', undefined])
      for (const end of ['', signature])
        await refused(
          `${base64({ alg, typ: 'at+jwt', kid: key.kid })}.${payload}.${end}`,
          `alg ${alg}`,
        )
    const imported = await importJWK(publicJwk, 'ES256', { extractable: true })
    assert.ok(!(imported instanceof Uint8Array))
    for (const secret of [await exportSPKI(imported), JSON.stringify(publicJwk), '', key.kid]) {
      const signed = `${base64({ alg: 'HS256', typ: 'at+jwt', kid: key.kid })}.${payload}`
      await refused(
        `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`,
        'HS256',
      )
    }
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const jwk = await exportJWK(publicKey)
    const embedded: Partial<JWTHeaderParameters>[] = [
      {},
      { kid: key.kid },
      { jwk },
      { jwk, kid: key.kid },
      { jku: `${service.url}/../evil.json`, kid: key.kid },
      { x5u: 'https://evil.example/cert.pem', kid: key.kid },
      { x5c: ['AAAA'], kid: key.kid },
      { kid: '../../../dev/null' },
      { kid: "' or 1=1 --" },
      { kid: '__proto__' },
    ]
    for (const header of embedded)
      await refused(
        await new SignJWT(claims)
          .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', ...header })
          .sign(privateKey),
        JSON.stringify(header),
      )
    for (const broken of [
      `${good}A`,
      good.slice(0, -2),
      `${good}.`,
      `.${good}`,
      good.replace('.', '..'),
      good.replaceAll('.', ''),
      `${payload}.${head}.${signature}`,
      `${head}.${payload}`,
      `${head}.${base64({ ...claims, exp: Number(claims.exp) + 9_999 })}.${signature}`,
      `${good.slice(0, -4)}AAAA`,
      `${good}.x`,
      `${good} extra`,
      'abc',
      'a.b.c',
      '..',
      'x'.repeat(9_000),
    ])
      await refused(broken, broken.slice(-60))
  })

  it('is rejected with a wrong claim or header, even if signed with our key', async () => {
    const keys = await listSigningKeys(service.db, undefined)
    const key = keys.find(({ alg }) => alg === 'ES256')
    const rsa = keys.find(({ alg }) => alg === 'RS256')
    assert.ok(key && rsa)
    const own = await importJWK(key.privateJwk, 'ES256')
    const claims = decodeJwt(good)
    const now = Math.floor(Date.now() / 1_000)
    const sign = (changes: Record<string, unknown>, header: Record<string, unknown> = {}) =>
      new SignJWT({ ...claims, ...changes })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid, ...header })
        .sign(own)
    assert.notEqual(
      (await service.get(CATALOG, await sign({}))).status,
      401,
      'the key is really ours',
    )
    const changes: Record<string, unknown>[] = [
      { iss: undefined },
      { iss: 'https://evil.example/oidc' },
      { iss: `${service.url}/oidc/` },
      { iss: [`${service.url}/oidc`] },
      { aud: undefined },
      { aud: 'https://evil.example' },
      { aud: service.url },
      { aud: `${service.url}/open/` },
      { aud: [`${service.url}/open`, 'https://evil.example'] },
      { exp: now - 1 },
      { exp: undefined },
      { exp: 'never' },
      { exp: String(now + 3_600) },
      // A few seconds of clock skew are allowed.
      { nbf: now + 50 },
      { iat: undefined },
      { jti: undefined },
      { scope: undefined },
      { scope: ['catalog:full'] },
      { client_id: undefined },
      { client_id: 7 },
      { client_id: ['x'] },
      { sub: undefined },
      { sub: '1' },
      { gid: 'x' },
      { cnf: { jkt: 'x' } },
    ]
    for (const change of changes) await refused(await sign(change), JSON.stringify(change))
    for (const header of [
      { typ: 'JWT' },
      { typ: undefined },
      { typ: 'id_token' },
      { typ: 'id+jwt' },
      { typ: 'logout+jwt' },
      { kid: undefined },
      { kid: 'nobody' },
      { kid: rsa.kid },
    ])
      await refused(await sign({}, header), JSON.stringify(header))
    const critical = [
      base64({ alg: 'ES256', typ: 'at+jwt', kid: key.kid, crit: ['exp'], exp: 1 }),
      good.split('.')[1],
    ].join('.')
    await refused(`${critical}.${good.split('.')[2]}`, 'crit')
    const rs256 = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: rsa.kid })
      .sign(await importJWK(rsa.privateJwk, 'RS256'))
    await refused(rs256, 'RS256')
  })
})
