import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, it } from 'node:test'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose'
import {
  authorizationRequest,
  basicAuthorization,
  catalogStatus,
  createClient,
  createUser,
  obtainTokens,
  postToProvider,
  refresh,
  signedInBrowser,
  fetchUserinfo,
  type ProviderResponse,
  type TestUser,
} from '#test/authorization.ts'
import { eventually, type PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

describeOnDatabase('user-level tokens', (engine) => {
  let service: TestService
  let app: TestApp
  let user: TestUser
  let browser: PlainBrowser
  before(async () => {
    service = await shareService(engine)
    app = await createClient(service)
    user = await createUser(service, 'Ayu')
    browser = await signedInBrowser(service, user)
    await service.db
      .updateTable('accounts')
      .set({ nickname: 'taiyaki', picture: 'https://img.example/ayu.png' })
      .where('id', '=', user.id)
      .execute()
  })
  after(() => service.close())

  const tokensFor = (scope: string, more: Record<string, string> = {}) =>
    obtainTokens(service, { app, user, browser, scope, ...more })
  const verified = async (token: string) => {
    // as: a JWK set as defined in RFC 7517
    const jwks = (await (await service.get('/oidc/jwks')).json()) as JSONWebKeySet
    return jwtVerify(token, createLocalJWKSet(jwks), { issuer: `${service.url}/oidc` })
  }
  const isOpaque = (token: string) => !token.includes('.')

  it('are JWTs with an API scope, the single audience, and the account id as subject', async () => {
    for (const scope of [
      'openid status:write',
      'status:read',
      'openid profile email user:read',
      'catalog:read',
      'collection:write collection:read',
    ]) {
      const tokens = await tokensFor(scope)
      assert.deepEqual(
        new Set(tokens.scope.split(' ')),
        new Set(scope.split(' ')),
        'what was granted, literally',
      )
      assert.deepEqual([tokens.token_type, tokens.expires_in], ['Bearer', 3600])
      const { payload, protectedHeader } = await verified(tokens.access_token)
      assert.deepEqual([protectedHeader.alg, protectedHeader.typ], ['ES256', 'at+jwt'])
      const {
        iss,
        aud,
        sub,
        client_id,
        scope: granted,
        exp = 0,
        iat = 0,
        jti,
        gid,
        ...rest
      } = payload
      assert.deepEqual(
        { iss, aud, sub, client_id, granted },
        {
          iss: `${service.url}/oidc`,
          aud: `${service.url}/open`,
          sub: String(user.id),
          client_id: app.clientId,
          granted: tokens.scope,
        },
      )
      assert.equal(exp - iat, 3600)
      assert.ok(jti && gid)
      assert.deepEqual(rest, {}, 'nothing of the person is in it')
    }
  })

  it('are the same if the request names the resource', async () => {
    const { access_token } = await tokensFor('openid status:read', {
      resource: `${service.url}/open`,
    })
    const { payload } = await verified(access_token)
    assert.equal(payload.aud, `${service.url}/open`)
  })

  it('are valid at /oidc/me if the request names the resource but no API scope', async () => {
    const { access_token } = await tokensFor('openid profile', { resource: `${service.url}/open` })
    assert.equal((await fetchUserinfo(service, access_token)).status, 200)
    assert.match(await catalogStatus(service, access_token), /^40[13] /)
  })

  it('are opaque and valid only at /oidc/me if the scopes are only openid, profile and email', async () => {
    for (const scope of ['openid', 'openid profile email']) {
      const { access_token, scope: granted } = await tokensFor(scope)
      assert.ok(isOpaque(access_token))
      assert.equal(granted, scope)
      assert.equal((await fetchUserinfo(service, access_token)).status, 200)
      assert.equal(await catalogStatus(service, access_token), '401 AUTH_TOKEN_INVALID')
    }
  })

  it('come without an ID token if openid is not requested, as in plain OAuth', async () => {
    const parameterSets: Record<string, string>[] = [
      {},
      { nonce: 'n' },
      { nonce: 'n', max_age: '3600', claims: '{}' },
    ]
    for (const more of parameterSets) {
      const tokens = await tokensFor('status:write', more)
      assert.equal(tokens.scope, 'status:write')
      assert.ok(!('id_token' in tokens) && !('refresh_token' in tokens))
    }
    const offlineTokens = await tokensFor('status:write offline_access', {
      prompt: 'consent',
      nonce: 'n',
    })
    assert.ok(offlineTokens.refresh_token && !('id_token' in offlineTokens))
    assert.equal(offlineTokens.scope, 'status:write offline_access')
  })

  it('give access to the claims of their scopes at /oidc/me by GET, POST and form, whether opaque or JWT', async () => {
    const allClaims = {
      sub: String(user.id),
      name: 'Ayu',
      nickname: 'taiyaki',
      preferred_username: 'taiyaki',
      picture: 'https://img.example/ayu.png',
      email: user.email,
      email_verified: true,
    }
    const url = `${service.url}/oidc/me`
    for (const scope of ['openid profile email', 'openid profile email status:read']) {
      const { access_token } = await tokensFor(scope)
      const authorization = `Bearer ${access_token}`
      for (const { status, body, headers } of [
        await fetchUserinfo(service, access_token),
        await postToProvider(url, {}, { authorization }),
        await postToProvider(url, { access_token }),
      ]) {
        assert.equal(status, 200)
        assert.match(headers.get('content-type') ?? '', /^application\/json/)
        assert.equal(headers.get('cache-control'), 'no-store')
        assert.equal(headers.get('access-control-allow-origin'), '*')
        const { updated_at, ...claims } = body
        assert.deepEqual(claims, allClaims)
        assert.ok(Number.isInteger(updated_at))
      }
    }
    assert.deepEqual(
      (await fetchUserinfo(service, (await tokensFor('openid')).access_token)).body,
      { sub: String(user.id) },
    )
    const withEmail = await fetchUserinfo(
      service,
      (await tokensFor('openid email status:read')).access_token,
    )
    assert.deepEqual(Object.keys(withEmail.body).toSorted(), ['email', 'email_verified', 'sub'])
  })

  it('are refused at /oidc/me with insufficient_scope if they lack openid', async () => {
    const { access_token } = await tokensFor('status:write')
    const { status, headers, body } = await fetchUserinfo(service, access_token)
    assert.deepEqual([status, body['error']], [403, 'insufficient_scope'])
    assert.match(
      headers.get('www-authenticate') ?? '',
      /error="insufficient_scope".*scope="openid"/,
    )
    const { status: withoutUser } = await fetchUserinfo(service, await service.token())
    assert.equal(withoutUser, 403)
  })

  it('are rejected with a challenge at /oidc/me if they are invalid', async () => {
    const { id_token = '' } = await tokensFor('openid status:read')
    for (const token of ['x', 'a.b.c', id_token, 'presented:jwt', 'a\u00e9', 'x'.repeat(9_000)]) {
      const { status, headers } = await fetchUserinfo(service, token)
      assert.equal(status, 401, token.slice(0, 50))
      assert.match(headers.get('www-authenticate') ?? '', /^Bearer .*error="invalid_token"/)
    }
    const without = await service.get('/oidc/me')
    assert.equal(without.status, 401)
    assert.equal(without.headers.get('www-authenticate'), 'Bearer realm="mokuroku"')
    assert.equal(
      (await postToProvider(`${service.url}/oidc/me`, {}, basicAuthorization(app))).status,
      401,
    )
  })

  it('match the at_hash of the ID token, even if they are opaque or refreshed', async () => {
    const hashOf = (token: unknown) =>
      createHash('sha256').update(String(token)).digest().subarray(0, 16).toString('base64url')
    const offlineTokens = { prompt: 'consent' }
    for (const scope of ['openid offline_access', 'openid offline_access status:read']) {
      const first = await tokensFor(scope, offlineTokens)
      const { body } = await refresh(service, app, first.refresh_token ?? '')
      for (const { access_token, id_token } of [first, body])
        assert.equal((await verified(String(id_token))).payload['at_hash'], hashOf(access_token))
    }
  })

  it('come with an ID token that identifies the account, signed with RS256 by a published key', async () => {
    const { id_token = '' } = await tokensFor('openid profile email status:read', {
      nonce: 'a nonce',
    })
    const { payload, protectedHeader } = await verified(id_token)
    assert.equal(protectedHeader.alg, 'RS256')
    assert.ok(protectedHeader.kid)
    const {
      iss,
      aud,
      exp = 0,
      iat = 0,
      auth_time: _at,
      sid: _sid,
      at_hash: _hash,
      updated_at,
      ...rest
    } = payload
    assert.deepEqual([iss, aud, exp - iat], [`${service.url}/oidc`, app.clientId, 3600])
    assert.ok(Number.isInteger(updated_at))
    const { amr: _amr, ...claims } = rest
    assert.deepEqual(claims, {
      sub: String(user.id),
      nonce: 'a nonce',
      name: 'Ayu',
      nickname: 'taiyaki',
      preferred_username: 'taiyaki',
      picture: 'https://img.example/ayu.png',
      email: user.email,
      email_verified: true,
    })
    assert.match(String(payload.sub), /^[1-9]\d*$/)
  })

  it('come with an ID token that contains only claims of the granted scopes', async () => {
    const { id_token = '' } = await tokensFor('openid status:read')
    const { payload } = await verified(id_token)
    for (const claim of ['name', 'email', 'email_verified', 'picture', 'nonce'])
      assert.ok(!(claim in payload), claim)
  })

  it('are not accepted as ID tokens, and ID tokens are not accepted as access tokens', async () => {
    const { id_token = '', access_token } = await tokensFor('openid catalog:read')
    assert.equal(await catalogStatus(service, id_token), '401 AUTH_TOKEN_INVALID')
    assert.equal(await catalogStatus(service, access_token), '200')
    assert.notEqual(decodeProtectedHeader(id_token).kid, decodeProtectedHeader(access_token).kid)
  })

  it('give access to the catalog with catalog:read or catalog:full, and are otherwise rejected with 403', async () => {
    assert.equal(
      await catalogStatus(service, (await tokensFor('catalog:read')).access_token),
      '200',
    )
    assert.equal(
      await catalogStatus(service, (await tokensFor('openid catalog:full')).access_token),
      '200',
    )
    const without = (await tokensFor('openid status:write user:read')).access_token
    assert.equal(await catalogStatus(service, without), '403 AUTH_FORBIDDEN')
  })

  it('come with claims that mark an unconfirmed email address as unverified', async () => {
    const setVerified = (email_verified_at: Date | null) =>
      service.db
        .updateTable('accounts')
        .set({ email_verified_at })
        .where('id', '=', user.id)
        .execute()
    await setVerified(null)
    const { access_token, id_token = '' } = await tokensFor('openid email')
    assert.equal((await fetchUserinfo(service, access_token)).body['email_verified'], false)
    assert.equal((await verified(id_token)).payload['email_verified'], false)
    await setVerified(new Date())
  })

  it('are Bearer tokens, even for a client that sends a DPoP proof', async () => {
    const { code, verifier } = await (async () => {
      const { path, verifier } = authorizationRequest(app, { dpop_jkt: 'x'.repeat(43) })
      const { location = '' } = await browser.get(path)
      return { verifier, code: new URL(location).searchParams.get('code') ?? '' }
    })()
    const form = {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: 'http://127.0.0.1:14792/callback',
    }
    const response: ProviderResponse = await postToProvider(`${service.url}/oidc/token`, form, {
      ...basicAuthorization(app),
      dpop: 'a.b.c',
    })
    assert.deepEqual([response.status, response.body['token_type']], [200, 'Bearer'])
    const { payload } = await verified(String(response.body['access_token']))
    assert.ok(!('cnf' in payload))
  })

  it('are rejected once they expire or their app is disabled, even if they are opaque', async () => {
    const victim = await createClient(service)
    const { access_token } = await obtainTokens(service, {
      app: victim,
      user,
      browser,
      scope: 'openid',
    })
    const setEnabled = (enabled: boolean) =>
      service.db
        .updateTable('apps')
        .set({ enabled })
        .where('client_id', '=', victim.clientId)
        .execute()
    const status = async () => (await fetchUserinfo(service, access_token)).status
    await setEnabled(false)
    await eventually(async () => (await status()) === 401)
    await setEnabled(true)
    await eventually(async () => (await status()) === 200)
    await service.db
      .updateTable('oidc_records')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('client_id', '=', victim.clientId)
      .execute()
    assert.equal(await status(), 401)
  })
})
