import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { decodeJwt } from 'jose'
import * as openid from 'openid-client'
import {
  basicAuthorization,
  catalogStatus,
  createClient,
  createUser,
  obtainTokens,
  openidClient,
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

const OFFLINE = { scope: 'openid offline_access catalog:read', prompt: 'consent' }

describeOnDatabase('a revocation or introspection request', (engine) => {
  let service: TestService
  let app: TestApp
  let other: TestApp
  let publicApp: TestApp
  let user: TestUser
  let browser: PlainBrowser
  before(async () => {
    service = await shareService(engine)
    app = await createClient(service)
    other = await createClient(service)
    publicApp = await createClient(service, { clientType: 'public' })
    user = await createUser(service)
    browser = await signedInBrowser(service, user)
  })
  after(() => service.close())

  const tokensOf = async (client = app, parameters: Record<string, string> = OFFLINE) => {
    const tokens = await obtainTokens(service, { app: client, user, browser, ...parameters })
    return { ...tokens, refresh_token: tokens.refresh_token ?? '' }
  }
  const about =
    (endpoint: string) =>
    (token: string, client = app, more: Record<string, string> = {}): Promise<ProviderResponse> =>
      client.secret === ''
        ? postToProvider(`${service.url}/oidc/token/${endpoint}`, {
            client_id: client.clientId,
            token,
            ...more,
          })
        : postToProvider(
            `${service.url}/oidc/token/${endpoint}`,
            { token, ...more },
            basicAuthorization(client),
          )
  const revoke = about('revocation')
  const introspect = about('introspection')
  const isRejected = (token: string) =>
    eventually(async () => (await catalogStatus(service, token)) === '401 AUTH_TOKEN_INVALID')
  const inactive = { active: false }

  it('ends the whole grant of a refresh token', async () => {
    const first = await tokensOf()
    const { body } = await refresh(service, app, first.refresh_token)
    const next = String(body['refresh_token'])
    assert.equal((await revoke(next)).status, 200)
    assert.equal((await refresh(service, app, next)).body['error'], 'invalid_grant')
    await isRejected(first.access_token)
    await isRejected(String(body['access_token']))
  })

  it('returns an empty JSON object for a revocation, even of an unknown token', async () => {
    for (const token of ['unknown', (await tokensOf()).access_token]) {
      const response = await fetch(`${service.url}/oidc/token/revocation`, {
        method: 'POST',
        headers: basicAuthorization(app),
        body: new URLSearchParams({ token }),
      })
      assert.equal(response.status, 200)
      assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
      assert.deepEqual(await response.json(), {})
    }
  })

  it('revokes only the given JWT', async () => {
    const { access_token, refresh_token } = await tokensOf()
    const repeated = await refresh(service, app, refresh_token)
    assert.equal((await revoke(access_token)).status, 200)
    await isRejected(access_token)
    assert.equal((await fetchUserinfo(service, access_token)).status, 401)
    assert.deepEqual((await introspect(access_token)).body, inactive)
    assert.equal(await catalogStatus(service, String(repeated.body['access_token'])), '200')
    assert.equal((await refresh(service, app, String(repeated.body['refresh_token']))).status, 200)
  })

  it('revokes only the given application token', async () => {
    const token = async () =>
      ((await (await service.requestToken(app, 'catalog:read')).json()) as { access_token: string })
        .access_token
    const [first, second] = [await token(), await token()]
    assert.equal((await introspect(first)).body['active'], true)
    assert.equal((await revoke(first)).status, 200)
    await isRejected(first)
    assert.equal(await catalogStatus(service, second), '200')
    assert.deepEqual((await introspect(first)).body, inactive)
  })

  it('revokes an opaque access token at once', async () => {
    const { access_token } = await tokensOf(app, { scope: 'openid profile' })
    assert.equal((await introspect(access_token)).body['active'], true)
    assert.equal((await revoke(access_token)).status, 200)
    assert.equal((await fetchUserinfo(service, access_token)).status, 401)
    assert.deepEqual((await introspect(access_token)).body, inactive)
  })

  it('works with openid-client, which also introspects tokens', async () => {
    const config = await openidClient(service, app)
    const { access_token, refresh_token } = await tokensOf()
    const introspected = await openid.tokenIntrospection(config, access_token)
    assert.deepEqual(
      [introspected.active, introspected.scope, introspected.sub],
      [true, OFFLINE.scope, String(user.id)],
    )
    await openid.tokenRevocation(config, refresh_token, { token_type_hint: 'refresh_token' })
    await isRejected(access_token)
    assert.equal((await openid.tokenIntrospection(config, access_token)).active, false)
  })

  it('works for a public app’s own tokens', async () => {
    const { access_token, refresh_token } = await tokensOf(publicApp)
    assert.equal((await revoke(access_token, publicApp)).status, 200)
    await isRejected(access_token)
    assert.equal((await revoke(refresh_token, publicApp)).status, 200)
    assert.equal((await refresh(service, publicApp, refresh_token)).body['error'], 'invalid_grant')
  })

  it('has no effect on another app’s token', async () => {
    const { access_token, refresh_token } = await tokensOf()
    const opaque = await tokensOf(app, { scope: 'openid' })
    for (const client of [other, publicApp])
      for (const token of [access_token, refresh_token, opaque.access_token]) {
        await revoke(token, client)
        assert.notEqual((await introspect(token, client)).body['active'], true)
      }
    // Once this process has seen a later revocation, it would also have seen the ones above.
    const mark = await tokensOf()
    await revoke(mark.access_token)
    await isRejected(mark.access_token)
    assert.equal(await catalogStatus(service, access_token), '200')
    assert.equal((await fetchUserinfo(service, opaque.access_token)).status, 200)
    assert.equal((await refresh(service, app, refresh_token)).status, 200)
  })

  it('succeeds for an invalid token (RFC 7009), but not for a missing one', async () => {
    const { id_token = '' } = await tokensOf()
    for (const token of ['unknown', 'a.b.c', '..', 'presented:jwt', 'a\0b', 'sha256:x', id_token]) {
      assert.equal((await revoke(token)).status, 200, token.slice(0, 20))
      assert.deepEqual((await introspect(token)).body, inactive, token.slice(0, 20))
      const hinted = await introspect(token, app, { token_type_hint: 'refresh_token' })
      assert.deepEqual(hinted.body, inactive)
    }
    for (const response of [await revoke(''), await introspect('')])
      assert.deepEqual([response.status, response.body['error']], [400, 'invalid_request'])
  })

  it('succeeds again for a token that is already revoked', async () => {
    const { access_token, refresh_token } = await tokensOf()
    for (const token of [access_token, access_token, refresh_token, refresh_token])
      assert.equal((await revoke(token)).status, 200)
  })

  it('ignores token_type_hint', async () => {
    const { access_token, refresh_token } = await tokensOf()
    for (const token_type_hint of ['refresh_token', 'access_token', 'somehow']) {
      assert.equal((await introspect(access_token, app, { token_type_hint })).body['active'], true)
      assert.equal((await introspect(refresh_token, app, { token_type_hint })).body['active'], true)
    }
    await revoke(refresh_token, app, { token_type_hint: 'access_token' })
    assert.equal((await refresh(service, app, refresh_token)).status, 400)
  })

  it('requires the app’s credentials', async () => {
    const { access_token } = await tokensOf()
    for (const endpoint of ['revocation', 'introspection']) {
      const url = `${service.url}/oidc/token/${endpoint}`
      const responses = [
        await postToProvider(url, { token: access_token }),
        await postToProvider(url, { token: access_token, client_id: app.clientId }),
        await postToProvider(
          url,
          { token: access_token },
          basicAuthorization({ ...app, secret: other.secret }),
        ),
        await postToProvider(
          url,
          { token: access_token },
          { authorization: `Bearer ${access_token}` },
        ),
      ]
      for (const { status, body } of responses) {
        assert.ok(status === 400 || status === 401, String(status))
        assert.match(String(body['error']), /^invalid_(client|request)$/)
      }
    }
    assert.equal(await catalogStatus(service, access_token), '200')
  })

  it('describes every kind of token to the confidential app it was issued to', async () => {
    const { access_token, refresh_token } = await tokensOf()
    const opaque = await tokensOf(app, { scope: 'openid profile' })
    const common = { active: true, client_id: app.clientId, iss: `${service.url}/oidc` }
    const jwt = await introspect(access_token)
    assert.equal(jwt.status, 200)
    const { exp, iat } = decodeJwt(access_token)
    const { jti: _jti, sid: _sid, ...ofJwt } = jwt.body
    assert.deepEqual(ofJwt, {
      ...common,
      aud: `${service.url}/open`,
      exp,
      iat,
      scope: OFFLINE.scope,
      sub: String(user.id),
      token_type: 'Bearer',
    })
    const { body: ofRefresh } = await introspect(refresh_token)
    assert.equal(ofRefresh['active'], true)
    assert.equal(ofRefresh['sub'], String(user.id))
    const { body: ofOpaque } = await introspect(opaque.access_token)
    assert.deepEqual([ofOpaque['active'], ofOpaque['scope']], [true, 'openid profile'])
  })

  it('discloses nothing to public apps', async () => {
    const { access_token, refresh_token } = await tokensOf(publicApp)
    for (const token of [access_token, refresh_token]) {
      const { body } = await introspect(token, publicApp)
      assert.ok(!('sub' in body) && body['active'] !== true)
    }
  })

  it('reports expired tokens as inactive', async () => {
    const { refresh_token } = await tokensOf()
    const opaque = await tokensOf(app, { scope: 'openid' })
    await service.db
      .updateTable('oidc_records')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('client_id', '=', app.clientId)
      .execute()
    for (const token of [refresh_token, opaque.access_token])
      assert.deepEqual((await introspect(token)).body, inactive)
  })
})
