import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { decodeJwt } from 'jose'
import {
  basicAuthorization,
  catalogStatus,
  createClient,
  createUser,
  obtainTokens,
  postToProvider,
  refresh,
  signedInBrowser,
  type ProviderResponse,
  type TestUser,
} from '#test/authorization.ts'
import { eventually, type PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

const DAY = 86_400_000
const REQUESTED = 'openid offline_access catalog:read status:write'

describeOnDatabase('a refresh token', (engine) => {
  let service: TestService
  let app: TestApp
  let user: TestUser
  let browser: PlainBrowser
  before(async () => {
    service = await shareService(engine)
    app = await createClient(service)
    user = await createUser(service)
    browser = await signedInBrowser(service, user)
  })
  after(() => service.close())

  async function tokensOf(client = app, scope = REQUESTED) {
    const tokens = await obtainTokens(service, {
      app: client,
      user,
      browser,
      scope,
      prompt: 'consent',
    })
    assert.ok(tokens.refresh_token)
    return { ...tokens, refresh_token: tokens.refresh_token }
  }
  /** @returns the current refresh token */
  const refreshed = ({ status, body }: ProviderResponse) => {
    assert.equal(status, 200, JSON.stringify(body))
    return String(body['refresh_token'])
  }
  const isRefused = ({ status, body }: ProviderResponse, error = 'invalid_grant') => {
    assert.deepEqual([status, body['error']], [400, error])
    assert.ok(!('access_token' in body))
  }
  const ofApp = ({ clientId }: TestApp) =>
    service.db
      .selectFrom('oidc_records')
      .select(['id_hash', 'payload', 'expires_at', 'consumed_at'])
      .where('model', '=', 'RefreshToken')
      .where('client_id', '=', clientId)
      .orderBy('expires_at', 'desc')
      .execute()
  /** Moves the first use of the app's refresh tokens into the past. */
  const moveFirstUse = ({ clientId }: TestApp, hours: number) =>
    service.db
      .updateTable('oidc_records')
      .set({ consumed_at: new Date(Date.now() - hours * 3_600_000) })
      .where('client_id', '=', clientId)
      .where('consumed_at', 'is not', null)
      .execute()
  const update = ({ clientId }: TestApp, change: { scopes?: string; enabled?: boolean }) =>
    service.db.updateTable('apps').set(change).where('client_id', '=', clientId).execute()

  it('is exchanged for tokens with the same scope and a new refresh token', async () => {
    const { refresh_token, scope } = await tokensOf()
    const first = await refresh(service, app, refresh_token)
    const { access_token, id_token, refresh_token: second, ...rest } = first.body
    assert.deepEqual(rest, { expires_in: 3600, token_type: 'Bearer', scope })
    assert.equal(first.headers.get('cache-control'), 'no-store')
    assert.notEqual(second, refresh_token)
    assert.equal(decodeJwt(String(id_token)).sub, String(user.id))
    assert.equal(await catalogStatus(service, String(access_token)), '200')
    assert.notEqual(refreshed(await refresh(service, app, String(second))), second)
  })

  it('works for a public app, and for an app without openid', async () => {
    const publicApp = await createClient(service, { clientType: 'public' })
    const { refresh_token } = await tokensOf(publicApp)
    refreshed(await refresh(service, publicApp, refresh_token))
    const plain = await tokensOf(app, 'offline_access status:read')
    const { body } = await refresh(service, app, plain.refresh_token)
    assert.ok(!('id_token' in body))
    assert.equal(body['scope'], 'offline_access status:read')
  })

  it('can be used three times concurrently by one client, and each successor works', async () => {
    const { refresh_token } = await tokensOf()
    const responses = await Promise.all([1, 2, 3].map(() => refresh(service, app, refresh_token)))
    for (const response of responses) {
      const next = refreshed(response)
      assert.equal(await catalogStatus(service, String(response.body['access_token'])), '200')
      refreshed(await refresh(service, app, next))
    }
  })

  it('stays valid for hours until its successor is used', async () => {
    const client = await createClient(service)
    const { refresh_token } = await tokensOf(client)
    const lost = refreshed(await refresh(service, client, refresh_token))
    await moveFirstUse(client, 23.9)
    const next = refreshed(await refresh(service, client, refresh_token))
    refreshed(await refresh(service, client, next))
    refreshed(await refresh(service, client, lost))
  })

  it('is treated as a replay once a successor has been used, and revokes the grant', async () => {
    const client = await createClient(service)
    const { refresh_token, access_token } = await tokensOf(client)
    const rotated = await refresh(service, client, refresh_token)
    const next = refreshed(rotated)
    const newest = refreshed(await refresh(service, client, next))
    isRefused(await refresh(service, client, refresh_token))
    for (const token of [next, newest]) isRefused(await refresh(service, client, token))
    for (const token of [access_token, String(rotated.body['access_token'])])
      await eventually(
        async () => (await catalogStatus(service, token)) === '401 AUTH_TOKEN_INVALID',
      )
  })

  it('is treated as a replay once any of its successors has been used', async () => {
    for (const used of [0, 1]) {
      const client = await createClient(service)
      const { refresh_token } = await tokensOf(client)
      const successors = [
        refreshed(await refresh(service, client, refresh_token)),
        refreshed(await refresh(service, client, refresh_token)),
      ]
      const newest = refreshed(await refresh(service, client, String(successors[used])))
      isRefused(await refresh(service, client, refresh_token))
      isRefused(await refresh(service, client, newest))
    }
  })

  it('is treated as a replay if it is an older ancestor, even after a day', async () => {
    const client = await createClient(service)
    const { refresh_token } = await tokensOf(client)
    let newest = refresh_token
    for (const _ of [1, 2, 3]) newest = refreshed(await refresh(service, client, newest))
    await moveFirstUse(client, 48)
    isRefused(await refresh(service, client, refresh_token))
    isRefused(await refresh(service, client, newest))
  })

  it('expires a day after its first use, while its unused successor stays valid', async () => {
    const client = await createClient(service)
    const { refresh_token } = await tokensOf(client)
    const next = refreshed(await refresh(service, client, refresh_token))
    await moveFirstUse(client, 24.1)
    isRefused(await refresh(service, client, refresh_token))
    refreshed(await refresh(service, client, next))
  })

  it('does not become valid for another day when it is used again', async () => {
    const client = await createClient(service)
    const { refresh_token } = await tokensOf(client)
    refreshed(await refresh(service, client, refresh_token))
    const consumedAt = async () =>
      (await ofApp(client)).find(({ consumed_at }) => consumed_at !== null)?.consumed_at?.getTime()
    const at = await consumedAt()
    refreshed(await refresh(service, client, refresh_token))
    assert.equal(await consumedAt(), at)
  })

  it('yields fewer scopes on request, and all scopes again at its next use', async () => {
    const { refresh_token } = await tokensOf()
    const less = await refresh(service, app, refresh_token, { scope: 'openid status:write' })
    assert.equal(less.body['scope'], 'openid status:write')
    assert.equal(
      await catalogStatus(service, String(less.body['access_token'])),
      '403 AUTH_FORBIDDEN',
    )
    const all = await refresh(service, app, refreshed(less))
    assert.equal(all.body['scope'], REQUESTED)
    const opaque = await refresh(service, app, refreshed(all), { scope: 'openid' })
    assert.equal(opaque.body['scope'], 'openid')
    assert.equal(
      await catalogStatus(service, String(opaque.body['access_token'])),
      '401 AUTH_TOKEN_INVALID',
    )
  })

  it('never yields a scope that was not granted, and stays valid after a request for one', async () => {
    const { refresh_token } = await tokensOf()
    for (const scope of ['openid catalog:full', `${REQUESTED} user:read`, 'nobody:knows'])
      isRefused(await refresh(service, app, refresh_token, { scope }), 'invalid_scope')
    refreshed(await refresh(service, app, refresh_token))
  })

  it('loses a scope that the app no longer holds', async () => {
    const client = await createClient(service)
    const { refresh_token } = await tokensOf(client)
    await update(client, { scopes: JSON.stringify(['catalog:read', 'status:read']) })
    const { status, body } = await refresh(service, client, refresh_token)
    assert.equal(status, 200)
    assert.equal(body['scope'], 'openid offline_access catalog:read')
    assert.equal(decodeJwt(String(body['access_token']))['scope'], body['scope'])
    await update(client, { scopes: '[]' })
    const bare = await refresh(service, client, refreshed({ status, body, headers: new Headers() }))
    assert.doesNotMatch(JSON.stringify(bare.body['scope'] ?? ''), /catalog|status/)
    if (bare.status === 200)
      assert.match(await catalogStatus(service, String(bare.body['access_token'])), /^40[13] /)
  })

  it('is rejected while the app is disabled', async () => {
    const client = await createClient(service)
    const { refresh_token } = await tokensOf(client)
    await update(client, { enabled: false })
    const { status, body } = await refresh(service, client, refresh_token)
    assert.deepEqual([status, body['error']], [401, 'invalid_client'])
    await update(client, { enabled: true })
    refreshed(await refresh(service, client, refresh_token))
  })

  it('expires 30 days after its last use', async () => {
    const client = await createClient(service)
    const { refresh_token } = await tokensOf(client)
    const assertDaysAway = (date: Date | undefined, days: number) =>
      assert.ok(Math.abs(Number(date) - Date.now() - days * DAY) < 60_000, String(date))
    assertDaysAway((await ofApp(client))[0]?.expires_at, 30)
    await service.db
      .updateTable('oidc_records')
      .set({ expires_at: new Date(Date.now() + DAY) })
      .where('client_id', '=', client.clientId)
      .execute()
    const next = refreshed(await refresh(service, client, refresh_token))
    assertDaysAway((await ofApp(client))[0]?.expires_at, 30)
    await service.db
      .updateTable('oidc_records')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('client_id', '=', client.clientId)
      .execute()
    isRefused(await refresh(service, client, next))
  })

  it('expires 180 days after the consent, however often it is used', async () => {
    const client = await createClient(service)
    const { refresh_token } = await tokensOf(client)
    const [row] = await ofApp(client)
    // as: the provider stored this payload
    const stored = JSON.parse(row?.payload ?? '') as { iiat: number }
    const aged = JSON.stringify({ ...stored, iiat: stored.iiat - 170 * 86_400 })
    await service.db
      .updateTable('oidc_records')
      .set({ payload: aged })
      .where('client_id', '=', client.clientId)
      .where('model', '=', 'RefreshToken')
      .execute()
    const next = refreshed(await refresh(service, client, refresh_token))
    const newest = (await ofApp(client)).find(({ consumed_at }) => consumed_at === null)
    assert.ok(Math.abs(Number(newest?.expires_at) - Date.now() - 10 * DAY) < 60_000)
    await service.db
      .updateTable('grants')
      .set(({ fn, ref, val }) => ({
        expires_at: new Date(Date.now() - 1),
        payload: fn<string>('regexp_replace', [
          ref('payload'),
          val('"exp":\\d+'),
          val('"exp":1600000000'),
        ]),
      }))
      .where('client_id', '=', client.clientId)
      .execute()
    isRefused(await refresh(service, client, next))
  })

  it('is rejected for another client or without the app’s credentials', async () => {
    const attacker = await createClient(service)
    const { refresh_token } = await tokensOf()
    isRefused(await refresh(service, attacker, refresh_token))
    const form = { grant_type: 'refresh_token', refresh_token }
    const url = `${service.url}/oidc/token`
    assert.equal((await postToProvider(url, { ...form, client_id: app.clientId })).status, 401)
    assert.equal(
      (await postToProvider(url, form, basicAuthorization({ ...app, secret: attacker.secret })))
        .status,
      401,
    )
    for (const wrong of ['', 'x', `${refresh_token}x`, 'a\0b'])
      assert.equal((await refresh(service, app, wrong)).status, 400)
    refreshed(await refresh(service, app, refresh_token))
  })

  it('outlives the browser session it came from', async () => {
    const { refresh_token } = await tokensOf()
    await service.db.deleteFrom('sessions').where('account_id', '=', user.id).execute()
    refreshed(await refresh(service, app, refresh_token))
    browser = await signedInBrowser(service, user)
  })
})
