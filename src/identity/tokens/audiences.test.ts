import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { decodeJwt } from 'jose'
import {
  ALL_SCOPES,
  basicAuthorization,
  createClient,
  createUser,
  obtainTokens,
  postToProvider,
  sendTokenRequest,
  type TestUser,
} from '#test/authorization.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { TOOL_SCOPES } from '../../mcp/tools.ts'

describeOnDatabase('a token for one of two resources', (engine) => {
  let service: TestService
  let app: TestApp
  let user: TestUser
  let api: string
  let mcp: string
  before(async () => {
    service = await shareService(engine)
    app = await createClient(service)
    user = await createUser(service)
    api = `${service.url}/open`
    mcp = `${service.url}/mcp`
  })
  after(() => service.close())

  const scope = 'catalog:read status:read offline_access'
  const obtain = (resource?: string) =>
    obtainTokens(service, { app, user, scope, prompt: 'consent', ...(resource && { resource }) })
  const refresh = (token: string | undefined, resource?: string) =>
    sendTokenRequest(service, app, {
      grant_type: 'refresh_token',
      refresh_token: token ?? '',
      ...(resource && { resource }),
    })
  const apiStatus = async (token: string) =>
    (await service.get('/v3/search?q=clannad', token)).status
  const mcpResponse = (token?: string) =>
    fetch(mcp, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    })

  it('is valid only at that resource', async () => {
    const forMcp = await obtain(mcp)
    assert.equal(decodeJwt(forMcp.access_token).aud, mcp)
    assert.equal(await apiStatus(forMcp.access_token), 401)
    assert.equal((await mcpResponse(forMcp.access_token)).status, 200)
    for (const resource of [undefined, api]) {
      const forApi = await obtain(resource)
      assert.equal(decodeJwt(forApi.access_token).aud, api)
      assert.equal(await apiStatus(forApi.access_token), 200)
      assert.equal((await mcpResponse(forApi.access_token)).status, 401)
    }
  })

  it('keeps its resource when it is refreshed, and cannot switch to another', async () => {
    const granted = await obtain(mcp)
    const kept = await refresh(granted.refresh_token)
    assert.equal(decodeJwt(String(kept.body['access_token'])).aud, mcp)
    const switched = await refresh(String(kept.body['refresh_token']), api)
    assert.deepEqual([switched.status, switched.body['error']], [400, 'invalid_target'])
    const forApi = await obtain()
    const widened = await refresh(forApi.refresh_token, mcp)
    assert.deepEqual([widened.status, widened.body['error']], [400, 'invalid_target'])
  })

  it('is introspected with its audience, and can be revoked', async () => {
    const { access_token: token } = await obtain(mcp)
    const ask = (path: string) =>
      postToProvider(`${service.url}/oidc/token/${path}`, { token }, basicAuthorization(app))
    const { body } = await ask('introspection')
    assert.deepEqual([body['active'], body['aud']], [true, mcp])
    assert.equal((await ask('revocation')).status, 200)
    assert.equal((await mcpResponse(token)).status, 401)
  })

  it('can be an application token', async () => {
    const { body } = await sendTokenRequest(service, app, {
      grant_type: 'client_credentials',
      scope: 'catalog:read',
      resource: mcp,
    })
    const token = String(body['access_token'])
    assert.equal((await mcpResponse(token)).status, 200)
    assert.equal(await apiStatus(token), 401)
  })

  it('is refused in a URL', async () => {
    const forApi = await service.token()
    const { access_token: forMcp } = await obtain(mcp)
    const { access_token: forUserinfo } = await obtainTokens(service, {
      app,
      user,
      scope: 'openid',
      prompt: 'consent',
    })
    const ask = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(service.url + path, init)
      await response.text()
      return response.status
    }
    for (const name of ['access_token', 'token', 'authorization']) {
      assert.equal(await ask(`/v3/search?q=clannad&${name}=${forApi}`), 401, name)
      const asTool = await ask(`/mcp?${name}=${forMcp}`, {
        method: 'POST',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
        },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      })
      assert.equal(asTool, 401, name)
      assert.notEqual(await ask(`/oidc/me?${name}=${forUserinfo}`), 200, name)
    }
    const authorization = `Bearer ${forUserinfo}`
    assert.equal(await ask('/oidc/me', { headers: { authorization } }), 200)
  })

  it('is refused for an unknown resource', async () => {
    const { status, body } = await sendTokenRequest(service, app, {
      grant_type: 'client_credentials',
      scope: 'catalog:read',
      resource: `${service.url}/other`,
    })
    assert.deepEqual([status, body['error']], [400, 'invalid_target'])
  })

  it('is described by the metadata that the challenge names', async () => {
    const challenge = (await mcpResponse()).headers.get('www-authenticate') ?? ''
    const [, url = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
    assert.equal(url, `${service.url}/.well-known/oauth-protected-resource/mcp`)
    assert.match(challenge, /scope="catalog:read status:read"/)
    // as: the test checks the members
    const metadata = async (at: string) =>
      (await (await fetch(at)).json()) as Record<string, unknown>
    const described = await metadata(url)
    assert.equal(described['resource'], mcp)
    assert.deepEqual(described['authorization_servers'], [`${service.url}/oidc`])
    assert.deepEqual(described['bearer_methods_supported'], ['header'])
    assert.deepEqual(described['scopes_supported'], TOOL_SCOPES)
    const ofApi = await metadata(`${service.url}/.well-known/oauth-protected-resource/open`)
    assert.equal(ofApi['resource'], api)
    for (const name of ALL_SCOPES) assert.ok((ofApi['scopes_supported'] as string[]).includes(name))
  })
})
