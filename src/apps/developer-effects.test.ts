import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  authorizationRequest,
  authorize,
  CALLBACK,
  catalogStatus,
  createUser,
  obtainTokens,
  redeem,
  refresh,
  sendTokenRequest,
  fetchUserinfo,
} from '#test/authorization.ts'
import { eventually, PlainBrowser } from '#test/browser.ts'
import { createDatabase, describeOnDatabase, type TestDatabase } from '#test/databases.ts'
import { toTestApp, createDeveloper, type Developer } from '#test/developer.ts'
import { spawnAnother, type ServiceProcess } from '#test/service-process.ts'
import { startService, type TestApp, type TestService } from '#test/service.ts'
import { setAppEnabled } from './queries.ts'
import type { AppUsage, DeveloperApp } from './schemas.ts'
import { memoryThrottle } from '../http/admission/throttle.ts'

const SIGNS_IN = {
  redirect_uris: ['http://127.0.0.1:14792/callback'],
  scopes: ['catalog:read', 'status:write'],
}
const REJECTED = '401 AUTH_TOKEN_INVALID'

describeOnDatabase('a developer’s app', (engine) => {
  let service: TestService
  let database: TestDatabase
  /** With a database server, a second process must also learn of every change. */
  let other: ServiceProcess | undefined
  let developer: Developer
  before(async () => {
    database = await createDatabase(engine, 'sample')
    // Freezes the clock, so that no minute ends in the middle of a count.
    const throttle = memoryThrottle(undefined, () => 0)
    service = await startService({ database, throttle })
    if (engine === 'server')
      other = await spawnAnother(database, service, {
        CATALOG_REQUESTS_PER_MINUTE: '100000',
        FAILED_AUTHENTICATIONS_PER_MINUTE: '100000',
      })
    developer = await createDeveloper(service)
  })
  after(async () => {
    await other?.stop()
    await service.close()
    await database.remove()
  })

  const serviceUrls = () => [service.url, ...(other ? [other.url] : [])]
  /** Returns the responses of all processes, as a single string if they agree. */
  const sendEverywhere = async (send: (url: string) => Promise<string>) =>
    [...new Set(await Promise.all(serviceUrls().map(send)))].join(', ')
  const catalog = (token: string) => sendEverywhere((url) => catalogStatus({ url }, token))
  /** Returns the response of every token endpoint to the app's secret. */
  const tokenResponse = (app: TestApp) =>
    sendEverywhere(async (url) => {
      const form = { grant_type: 'client_credentials', scope: 'catalog:read' }
      const { status, body } = await sendTokenRequest({ ...service, url }, app, form)
      return status === 200 ? '200' : `${status} ${String(body['error'])}`
    })
  const patch = ({ client_id }: DeveloperApp, body: object) =>
    developer.send('PATCH', `/${client_id}`, body)

  async function inUse() {
    const app = await developer.create(SIGNS_IN)
    const client = toTestApp(app)
    const user = await createUser(service)
    const lasting = { scope: 'openid offline_access catalog:read', prompt: 'consent' }
    const tokens = await obtainTokens(service, { app: client, user, ...lasting })
    const { body } = await sendTokenRequest(service, client, {
      grant_type: 'client_credentials',
      scope: 'catalog:read',
    })
    const live = [tokens.access_token, String(body['access_token'])]
    for (const token of live) assert.equal(await catalog(token), '200')
    return { app, client, reader: user, live, refreshToken: tokens.refresh_token ?? '' }
  }

  it('loses its old secret and access tokens at once in every process when the secret is rotated', async () => {
    const { app, client, live, reader: user, refreshToken } = await inUse()
    const { access_token: opaque } = await obtainTokens(service, {
      app: client,
      user,
      scope: 'openid',
    })
    const bystander = await inUse()
    let lasting = refreshToken
    for (let round = 0; round < 2; round += 1) {
      const { status, data } = await developer.send('POST', `/${app.client_id}/secret`)
      assert.equal(status, 200)
      for (const token of live) {
        assert.equal(await catalogStatus(service, token), REJECTED, 'at once where it was done')
        await eventually(
          async () => (await catalog(token)) === REJECTED,
          'the token is refused everywhere',
        )
      }
      client.secret = data.client_secret ?? ''
      const { body } = await refresh(service, client, lasting)
      lasting = String(body['refresh_token'])
      assert.equal(
        await catalog(String(body['access_token'])),
        '200',
        'refreshed with the new secret',
      )
      const { access_token } = await obtainTokens(service, {
        app: client,
        user,
        scope: 'catalog:read',
      })
      assert.equal(await catalog(access_token), '200')
      live.push(access_token)
    }
    assert.equal((await fetchUserinfo(service, opaque)).status, 401)
    for (const token of bystander.live) assert.equal(await catalog(token), '200')
  })

  it('keeps its access tokens if a secret rotation fails or is asked to keep them', async () => {
    const { app, client, live } = await inUse()
    const refused = await developer.send('POST', `/${app.client_id}/secret`, {
      revoke_tokens: 'no',
    })
    assert.deepEqual([refused.status, refused.fields], [422, ['revoke_tokens']])
    assert.equal(await tokenResponse(client), '200')
    for (let round = 0; round < 5; round += 1) {
      const { data } = await developer.send('POST', `/${app.client_id}/secret`, {
        revoke_tokens: false,
      })
      assert.equal(await tokenResponse(client), '401 invalid_client')
      client.secret = data.client_secret ?? ''
      assert.equal(await tokenResponse(client), '200')
    }
    for (const token of live) assert.equal(await catalog(token), '200')
  })

  it('ends up with exactly one of the secrets that concurrent rotations returned', async () => {
    const app = await developer.create({ scopes: ['catalog:read'] })
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => developer.send('POST', `/${app.client_id}/secret`)),
    )
    const outcomes = await Promise.all(responses.map(({ data }) => tokenResponse(toTestApp(data))))
    assert.equal(outcomes.filter((outcome) => outcome === '200').length, 1)
  })

  it('has at most two secrets in every process after concurrent rotations that keep the old one', async () => {
    const app = await developer.create({ scopes: ['catalog:read'] })
    const urls = serviceUrls()
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        developer.send(
          'POST',
          `/${app.client_id}/secret`,
          { previous_secret_expires_in: 3_600 },
          urls[index % urls.length],
        ),
      ),
    )
    const clients = [toTestApp(app), ...responses.map(({ data }) => toTestApp(data))]
    const good = async () =>
      (await Promise.all(clients.map(tokenResponse))).filter((each) => each === '200').length
    assert.equal(await good(), 2)
    assert.equal((await developer.send('DELETE', `/${app.client_id}/secret/previous`)).status, 204)
    assert.equal(await good(), 1)
  })

  it('cannot use a deselected scope with its existing tokens until the scope is selected again', async () => {
    const { app, live } = await inUse()
    const [token = '', application = ''] = live
    assert.equal((await patch(app, { scopes: ['status:read'] })).status, 200)
    for (const each of [token, application]) {
      const response = await service.get('/api/v3/open/people/1', each)
      assert.equal(response.status, 403, 'at once where it was done')
      assert.match(
        response.headers.get('www-authenticate') ?? '',
        /error="insufficient_scope".*scope="catalog:read"/,
      )
      await eventually(
        async () => (await catalog(each)) === '403 AUTH_FORBIDDEN',
        'refused everywhere',
      )
    }
    assert.equal((await fetchUserinfo(service, token)).status, 200, 'what is left is good')
    await patch(app, { scopes: ['catalog:full'] })
    for (const each of live) await eventually(async () => (await catalog(each)) === '200')
  })

  it('gets no tokens or authorizations while it is disabled', async () => {
    const { app, client, live, refreshToken, reader: user } = await inUse()
    assert.equal((await patch(app, { enabled: false })).data.enabled, false)
    assert.equal(await tokenResponse(client), '401 invalid_client')
    assert.equal((await refresh(service, client, refreshToken)).status, 401)
    const page = await new PlainBrowser(service.url).get(authorizationRequest(client).path)
    assert.deepEqual([page.status, page.location], [400, undefined])
    for (const token of live) {
      await eventually(
        async () => (await catalog(token)) === REJECTED,
        'the token is refused everywhere',
      )
      assert.equal(await catalog(token), REJECTED)
    }

    assert.equal((await patch(app, { enabled: true })).data.enabled, true)
    assert.equal(await tokenResponse(client), '200')
    assert.equal((await refresh(service, client, refreshToken)).status, 200)
    assert.ok((await obtainTokens(service, { app: client, user, scope: 'openid' })).access_token)
    for (const token of live)
      await eventually(async () => (await catalog(token)) === '200', 'the token is good again')
  })

  it('cannot be enabled by its developer after the operator disabled it', async () => {
    const { client_id } = await developer.create({ client_name: 'Blocked' })
    await setAppEnabled(service.db, client_id, false)
    const refused = await developer.send('PATCH', `/${client_id}`, {
      enabled: true,
      client_name: 'Again',
    })
    assert.deepEqual([refused.status, refused.fields], [422, ['enabled']])
    const { enabled, client_name } = (await developer.send('GET', `/${client_id}`)).data
    assert.deepEqual({ enabled, client_name }, { enabled: false, client_name: 'Blocked' })
    await setAppEnabled(service.db, client_id, true)
    assert.equal((await developer.send('PATCH', `/${client_id}`, { enabled: true })).status, 200)
  })

  it('loses its consents, grants and tokens in every process when it is deleted', async () => {
    const { app, client, live, refreshToken } = await inUse()
    assert.equal((await developer.send('DELETE', `/${app.client_id}`)).status, 204)
    assert.equal(await tokenResponse(client), '401 invalid_client')
    assert.equal((await refresh(service, client, refreshToken)).status, 401)
    for (const token of live)
      await eventually(
        async () => (await catalog(token)) === REJECTED,
        'the token is refused everywhere',
      )
    for (const table of ['consents', 'grants', 'oidc_records', 'app_usage'] as const) {
      const rows = await service.db
        .selectFrom(table)
        .select('client_id')
        .where('client_id', '=', app.client_id)
        .execute()
      assert.deepEqual(rows, [], table)
    }
  })

  it('immediately applies changes to its scopes, grant types and client type at the token endpoint', async () => {
    const app = await developer.create({ scopes: ['catalog:read'] })
    const client = toTestApp(app)
    const outcomes: [object, string][] = [
      [{ scopes: [] }, '400 invalid_scope'],
      [{ scopes: ['catalog:full'] }, '200'],
      [{ grant_types: [] }, '400 invalid_request'],
      [{ grant_types: ['client_credentials'] }, '200'],
      [{ token_endpoint_auth_method: 'client_secret_post' }, '401 invalid_client'],
      [{ token_endpoint_auth_method: 'client_secret_basic' }, '200'],
      [{ client_type: 'public' }, '401 invalid_client'],
    ]
    for (const [body, outcome] of outcomes) {
      assert.equal((await patch(app, body)).status, 200)
      assert.equal(await tokenResponse(client), outcome, JSON.stringify(body))
    }
  })

  it('loses the codes issued for a removed redirect URI, but no other codes', async () => {
    const other_uri = 'http://127.0.0.1:14792/other'
    const app = await developer.create({ ...SIGNS_IN, redirect_uris: [CALLBACK, other_uri] })
    const client = toTestApp(app)
    const user = await createUser(service)
    const authorizeAt = (redirect_uri: string) =>
      authorize(service, { app: client, user, redirect_uri })
    const taken = await authorizeAt(other_uri)
    const staying = await authorizeAt(CALLBACK)
    assert.equal((await patch(app, { client_name: 'The same addresses' })).status, 200)
    const early = await redeem(service, client, taken.code, taken.verifier, other_uri)
    assert.equal(early.status, 200, 'nothing was taken away yet')

    const late = await authorizeAt(other_uri)
    assert.equal((await patch(app, { redirect_uris: [CALLBACK] })).status, 200)
    const refused = await redeem(service, client, late.code, late.verifier, other_uri)
    assert.deepEqual([refused.status, refused.body['error']], [400, 'invalid_grant'])
    assert.equal((await redeem(service, client, staying.code, staying.verifier)).status, 200)

    const between = await authorizeAt(CALLBACK)
    for (const redirect_uris of [[other_uri], [CALLBACK]])
      assert.equal((await patch(app, { redirect_uris })).status, 200)
    const afterAll = await redeem(service, client, between.code, between.verifier)
    assert.deepEqual(
      [afterAll.status, afterAll.body['error']],
      [400, 'invalid_grant'],
      'not when it is back',
    )

    // Simulates a code that was issued during the change, unseen by any delete.
    const latest = await authorizeAt(CALLBACK)
    const redirect_uris = JSON.stringify([other_uri])
    await service.db
      .updateTable('apps')
      .set({ redirect_uris })
      .where('client_id', '=', app.client_id)
      .execute()
    const tooLate = await redeem(service, client, latest.code, latest.verifier)
    assert.deepEqual([tooLate.status, tooLate.body['error']], [400, 'invalid_grant'])
  })

  it('has daily counts of requests, 429s, errors and tokens, and a count of connected users', async () => {
    const app = await developer.create(SIGNS_IN)
    const client = toTestApp(app)
    const usage = async () =>
      (await developer.send<AppUsage>('GET', `/${app.client_id}/usage`)).data
    assert.deepEqual(await usage(), { connected_users: 0, days: [] })
    const neighbor = await service.createApp()
    await service.db
      .updateTable('apps')
      .set({ requests_per_minute: 5 })
      .where('client_id', 'in', [app.client_id, neighbor.clientId])
      .execute()
    for (let user = 0; user < 2; user += 1)
      await obtainTokens(service, { app: client, user: await createUser(service), scope: 'openid' })
    const { body } = await sendTokenRequest(service, client, {
      grant_type: 'client_credentials',
      scope: 'catalog:read',
    })
    const token = String(body['access_token'])
    const ofNeighbor = await sendTokenRequest(service, neighbor, {
      grant_type: 'client_credentials',
      scope: 'catalog:read',
    })
    await eventually(async () => {
      const { headers } = await service.get(
        '/api/v3/open/people/1',
        String(ofNeighbor.body['access_token']),
      )
      return headers.get('x-ratelimit-limit') === '5'
    }, 'the limits of both are known')
    const none = { rate_limited: 0, errors: 0, tokens: 0 }
    await service.db
      .insertInto('app_usage')
      .values([
        { client_id: app.client_id, day: daysAgo(89), requests: 7, ...none },
        { client_id: app.client_id, day: daysAgo(91), requests: 9, ...none },
      ])
      .execute()
    const statuses: number[] = []
    for (const path of [
      'people/1',
      'people/0',
      'people/1',
      'people/2',
      'people/3',
      'people/1',
      'people/1',
    ])
      statuses.push((await service.get(`/api/v3/open/${path}`, token)).status)
    assert.deepEqual(
      statuses.map((status) => status === 429),
      [false, false, false, false, false, true, true],
    )
    await eventually(async () => {
      const [today] = (await usage()).days
      return today?.requests === 7 && today.rate_limited === 2 && today.tokens === 3
    }, 'all that was counted is written down')
    const { connected_users, days } = await usage()
    assert.equal(connected_users, 2)
    const [today, old] = days
    const errors = statuses.filter((status) => status === 404).length
    assert.deepEqual(
      { ...today, date: '' },
      { date: '', requests: 7, rate_limited: 2, errors, tokens: 3 },
    )
    assert.deepEqual(old, { date: daysAgo(89), requests: 7, rate_limited: 0, errors: 0, tokens: 0 })
  })
})

/** A day (UTC) in the format of the database and the API. */
const daysAgo = (days: number) =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
