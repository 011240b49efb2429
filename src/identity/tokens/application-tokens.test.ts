import assert from 'node:assert/strict'

import { after, before, describe, it } from 'node:test'
import { createLocalJWKSet, jwtVerify, type JWK } from 'jose'
import * as oauth from 'oauth4webapi'

import * as openid from 'openid-client'
import { send } from '#test/attacks.ts'
import { eventually } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

type Json = Record<string, unknown>
const basic = (id: string, secret: string) =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

describeOnDatabase('application tokens', (engine) => {
  let service: TestService
  let app: TestApp
  before(async () => {
    service = await shareService(engine)
    app = await service.createApp({ scopes: ['catalog:full'] })
  })
  after(() => service.close())

  async function post(form: Record<string, string> | string, headers: Record<string, string> = {}) {
    const response = await fetch(`${service.url}/oidc/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    })
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Json,
    }
  }
  const grant = { grant_type: 'client_credentials', scope: 'catalog:full' }
  const detail = (token: string) => service.get('/api/v3/open/people/1', token)
  // The documented limit is one second. Allow for a busy machine.
  const withinASecond = (condition: () => Promise<boolean>) =>
    eventually(condition, 'the change', 10_000)

  describe('issuance', () => {
    it('returns RFC 9068 JWTs for one hour and one audience, signed with ES256 by a published key', async () => {
      const { status, headers, body } = await post(grant, {
        authorization: basic(app.clientId, app.secret),
      })
      assert.equal(status, 200)
      assert.equal(headers.get('cache-control'), 'no-store')
      const { access_token, ...rest } = body
      assert.deepEqual(rest, { expires_in: 3600, token_type: 'Bearer', scope: 'catalog:full' })
      const token = String(access_token)
      const jwks = (await (await service.get('/oidc/jwks')).json()) as { keys: JWK[] }
      const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(jwks))
      assert.equal(protectedHeader.alg, 'ES256')
      assert.equal(protectedHeader.typ, 'at+jwt')
      const { iss, aud, sub, client_id, scope, exp = 0, iat = 0 } = payload
      assert.deepEqual(
        { iss, aud, sub, client_id, scope },
        {
          iss: `${service.url}/oidc`,
          aud: `${service.url}/open`,
          sub: app.clientId,
          client_id: app.clientId,
          scope: 'catalog:full',
        },
      )
      assert.equal(exp - iat, 3600)
      assert.equal((await detail(token)).status, 200)
      assert.ok(
        jwks.keys.every((key) => !('d' in key)),
        'a private key is published',
      )
      assert.deepEqual(jwks.keys.map(({ alg }) => alg).toSorted(), ['ES256', 'RS256'])
    })

    it('works with openid-client', async () => {
      const config = await openid.discovery(
        new URL(`${service.url}/oidc`),
        app.clientId,
        {},
        openid.ClientSecretBasic(app.secret),
        { execute: [openid.allowInsecureRequests] },
      )
      const tokens = await openid.clientCredentialsGrant(config, { scope: 'catalog:read' })
      assert.equal(tokens.scope, 'catalog:read')
      assert.equal((await detail(tokens.access_token)).status, 200)
    })

    it('works with oauth4webapi, which validates the tokens', async () => {
      const issuer = new URL(`${service.url}/oidc`)
      const insecure = { [oauth.allowInsecureRequests]: true }
      const server = await oauth.processDiscoveryResponse(
        issuer,
        await oauth.discoveryRequest(issuer, insecure),
      )
      const client = { client_id: app.clientId }
      const response = await oauth.clientCredentialsGrantRequest(
        server,
        client,
        oauth.ClientSecretBasic(app.secret),
        new URLSearchParams({ scope: 'catalog:read' }),
        insecure,
      )
      const { access_token } = await oauth.processClientCredentialsResponse(
        server,
        client,
        response,
      )
      const request = new Request(`${service.url}/api/v3/open/people/1`, {
        headers: { authorization: `Bearer ${access_token}` },
      })
      const claims = await oauth.validateJwtAccessToken(
        server,
        request,
        `${service.url}/open`,
        insecure,
      )
      assert.equal(claims.scope, 'catalog:read')
    })

    it('returns exactly the requested scope; catalog:full includes catalog:read', async () => {
      const { body } = await post(
        { ...grant, scope: 'catalog:read' },
        { authorization: basic(app.clientId, app.secret) },
      )
      assert.equal(body['scope'], 'catalog:read')
    })

    it('accepts the API as the resource parameter, and rejects any other resource', async () => {
      const headers = { authorization: basic(app.clientId, app.secret) }
      assert.equal((await post({ ...grant, resource: `${service.url}/open` }, headers)).status, 200)
      const other = await post({ ...grant, resource: 'https://other.example' }, headers)
      assert.equal(other.status, 400)
      assert.equal(other.body['error'], 'invalid_target')
    })

    it('accepts Basic credentials, raw or form-urlencoded, even if the body repeats the client_id', async () => {
      const encoded = basic(encodeURIComponent(app.clientId), encodeURIComponent(app.secret))
      assert.equal((await post(grant, { authorization: encoded })).status, 200)
      assert.equal(
        (
          await post(
            { ...grant, client_id: app.clientId },
            { authorization: basic(app.clientId, app.secret) },
          )
        ).status,
        200,
      )
    })

    it('accepts client_secret_post if the app is registered for it', async () => {
      const posting = await service.createApp({ tokenEndpointAuthMethod: 'client_secret_post' })
      const { status } = await post({
        ...grant,
        client_id: posting.clientId,
        client_secret: posting.secret,
      })
      assert.equal(status, 200)
    })

    it('allows cross-origin requests from any origin, but without browser credentials', async () => {
      for (const path of ['/oidc/token', '/oidc/jwks', '/oidc/.well-known/openid-configuration']) {
        const method = path === '/oidc/token' ? 'POST' : 'GET'
        const response = await fetch(service.url + path, {
          method,
          headers: { origin: 'https://app.example' },
        })
        assert.ok(
          ['*', 'https://app.example'].includes(
            response.headers.get('access-control-allow-origin') ?? '',
          ),
          path,
        )
        assert.equal(response.headers.get('access-control-allow-credentials'), null)
        assert.match(
          response.headers.get('access-control-expose-headers') ?? '',
          /Retry-After.*X-Request-Id/,
        )
        const preflight = await fetch(service.url + path, {
          method: 'OPTIONS',
          headers: {
            origin: 'https://app.example',
            'access-control-request-method': method,
            'access-control-request-headers': 'authorization',
          },
        })
        assert.ok(preflight.status < 300, path)
        assert.ok(preflight.headers.get('access-control-allow-origin'), path)
      }
    })
  })

  describe('refusal', () => {
    it('rejects scopes that are missing, unknown, user-level or not the app’s', async () => {
      const narrow = await service.createApp({ scopes: ['catalog:read'] })
      const headers = { authorization: basic(narrow.clientId, narrow.secret) }
      for (const scope of [
        'catalog:full',
        'catalog:read catalog:full',
        'nobody:knows',
        'status:write',
        'user:read',
        'openid',
        'catalog:sync',
        'offline_access',
        '',
      ]) {
        const { status, body } = await post({ ...grant, scope }, headers)
        assert.equal(status, 400, scope)
        assert.equal(body['error'], 'invalid_scope', scope)
      }
      assert.equal(
        (await post({ grant_type: 'client_credentials' }, headers)).body['error'],
        'invalid_scope',
      )
    })

    it('rejects user-level scopes even if the app holds them', async () => {
      const wideApp = await service.createApp({
        scopes: ['catalog:read', 'status:write', 'user:read'],
      })
      const { status, body } = await post(
        { ...grant, scope: 'status:write' },
        { authorization: basic(wideApp.clientId, wideApp.secret) },
      )
      assert.deepEqual([status, body['error']], [400, 'invalid_scope'])
    })

    it('rejects the stored hash in place of the secret', async () => {
      const { secret_hash } = await service.db
        .selectFrom('apps')
        .select('secret_hash')
        .where('client_id', '=', app.clientId)
        .executeTakeFirstOrThrow()
      assert.ok(secret_hash)
      assert.notEqual(secret_hash, app.secret)
      assert.equal(
        (await post(grant, { authorization: basic(app.clientId, secret_hash) })).status,
        401,
      )
    })

    it('rejects other grant types, JSON bodies, and duplicate, oversized or malformed parameters', async () => {
      const headers = { authorization: basic(app.clientId, app.secret) }
      assert.equal(
        (await post({ grant_type: 'password' }, headers)).body['error'],
        'unsupported_grant_type',
      )
      assert.equal((await post({}, headers)).body['error'], 'invalid_request')
      assert.equal(
        (await post(JSON.stringify(grant), { ...headers, 'content-type': 'application/json' }))
          .body['error'],
        'invalid_request',
      )
      assert.equal(
        (await post('grant_type=client_credentials&scope=catalog:read&scope=catalog:full', headers))
          .body['error'],
        'invalid_request',
      )
      for (const form of [
        `grant_type=client_credentials&scope=${'x'.repeat(100_000)}`,
        'grant_type=%zz&scope=%00',
        'grant_type=client_credentials&scope=%00',
        '\0'.repeat(50),
      ]) {
        const { status } = await post(form, headers)
        assert.ok(status >= 400 && status < 500, form.slice(0, 40))
      }
    })

    it('begins within a second after an app is disabled, and ends when the app is enabled again', async () => {
      const victim = await service.createApp()
      const headers = { authorization: basic(victim.clientId, victim.secret) }
      const token = String((await post(grant, headers)).body['access_token'])
      assert.equal((await detail(token)).status, 200)
      await service.db
        .updateTable('apps')
        .set({ enabled: false })
        .where('client_id', '=', victim.clientId)
        .execute()
      const refused = await post(grant, headers)
      assert.deepEqual([refused.status, refused.body['error']], [401, 'invalid_client'])
      await withinASecond(async () => (await detail(token)).status === 401)
      await service.db
        .updateTable('apps')
        .set({ enabled: true })
        .where('client_id', '=', victim.clientId)
        .execute()
      assert.equal((await post(grant, headers)).status, 200)
      await withinASecond(async () => (await detail(token)).status === 200)
    })
  })

  it('have a discovery document whose URLs do not depend on request headers', async () => {
    const discover = (headers: Record<string, string> = {}) =>
      send(service.url, '/oidc/.well-known/openid-configuration', { headers })
    const plain = await discover()
    assert.equal(plain.status, 200)
    const spoofedHeaders: Record<string, string>[] = [
      { 'x-forwarded-host': 'evil.example' },
      { 'x-forwarded-proto': 'https' },
      { forwarded: 'host=evil.example' },
      { host: 'evil.example' },
    ]
    for (const headers of spoofedHeaders) assert.equal((await discover(headers)).text, plain.text)
  })

  it('have endpoints that return an OAuth error for an unsupported method or an unknown path', async () => {
    for (const [method, path, status] of [
      ['GET', '/oidc/token', 405],
      ['POST', '/oidc/jwks', 405],
      ['GET', '/oidc/nothing', 404],
    ] as const) {
      const response = await fetch(service.url + path, { method })
      assert.equal(response.status, status, path)
      assert.deepEqual(Object.keys((await response.json()) as object), [
        'error',
        'error_description',
      ])
      assert.equal(response.headers.has('allow'), status === 405)
    }
  })

  it('come with rate limit headers for the client IP address', async () => {
    const { headers } = await post(grant, { authorization: basic(app.clientId, app.secret) })
    assert.match(headers.get('x-ratelimit-remaining') ?? '', /^\d+$/)
    assert.ok(headers.get('x-request-id'))
    assert.equal(headers.get('access-control-allow-origin'), '*')
  })

  it('are issued and refused without logging the app’s secret', async () => {
    const noisy = await service.createApp()
    await post(grant, { authorization: basic(noisy.clientId, noisy.secret) })
    await post(grant, { authorization: basic(noisy.clientId, `${noisy.secret}x`) })
    const log = JSON.stringify(service.logged)
    assert.ok(!log.includes(noisy.secret))
  })
})
