import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import sharp from 'sharp'
import {
  sendTokenRequest,
  catalogStatus,
  createUser,
  obtainTokens,
  fetchUserinfo,
} from '#test/authorization.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { APPS_PATH, toTestApp, createDeveloper, type Developer } from '#test/developer.ts'
import { startService, type TestApp, type TestService } from '#test/service.ts'
import { findAppCard } from './app-card-queries.ts'
import { replaceSecret } from './operator/operator-queries.ts'
import type { DeveloperApp } from './schemas.ts'

const DAY = 86_400
const REJECTED = '401 AUTH_TOKEN_INVALID'
const SIGNS_IN = {
  redirect_uris: ['http://127.0.0.1:14792/callback'],
  scopes: ['catalog:read', 'status:write'],
}

describeOnDatabase('an app', (engine) => {
  let service: TestService
  let developer: Developer
  before(async () => {
    service = await startService({ engine, content: 'sample' })
    developer = await createDeveloper(service)
  })
  after(() => service.close())

  async function token(app: TestApp) {
    const form = { grant_type: 'client_credentials', scope: 'catalog:read' }
    const { status, body } = await sendTokenRequest(service, app, form)
    return status === 200 ? String(body['access_token']) : `${status} ${String(body['error'])}`
  }
  const statuses = async (...apps: TestApp[]) =>
    (await Promise.all(apps.map(token))).map((status) => (status.startsWith('4') ? status : 'good'))
  const rotate = (app: DeveloperApp, body: object) =>
    developer.send('POST', `/${app.client_id}/secret`, body)
  async function rotated(app: DeveloperApp, body: object) {
    const { status, data, text } = await rotate(app, body)
    assert.equal(status, 200, text)
    return { app: toTestApp(data), end: data.previous_secret_expires_at }
  }
  const expire = (app: DeveloperApp) =>
    service.db
      .updateTable('apps')
      .set({ previous_secret_expires_at: new Date(Date.now() - 1) })
      .where('client_id', '=', app.client_id)
      .execute()
  const shown = async (app: DeveloperApp) =>
    (await developer.send<DeveloperApp>('GET', `/${app.client_id}`)).data

  it('has two valid secrets until the chosen time, and then only the new one', async () => {
    const created = await developer.create(SIGNS_IN)
    const first = toTestApp(created)
    const old = await token(first)
    const { app: second, end } = await rotated(created, { previous_secret_expires_in: DAY })
    const ends = Date.parse(end ?? '') - Date.now()
    assert.ok(Math.abs(ends - DAY * 1_000) < 60_000, String(end))
    assert.equal((await shown(created)).previous_secret_expires_at, end)
    assert.deepEqual(await statuses(first, second), ['good', 'good'])
    for (const each of [old, await token(first), await token(second)])
      assert.equal(await catalogStatus(service, each), '200')
    await expire(created)
    assert.deepEqual(await statuses(first, second), ['401 invalid_client', 'good'])
    assert.ok(!('previous_secret_expires_at' in (await shown(created))))
  })

  it('never has three secrets, and has one after a rotation that does not keep the old one', async () => {
    const created = await developer.create({ scopes: ['catalog:read'] })
    const first = toTestApp(created)
    const { app: second } = await rotated(created, { previous_secret_expires_in: DAY })
    const { app: third } = await rotated(created, { previous_secret_expires_in: DAY })
    assert.deepEqual(await statuses(first, second, third), ['401 invalid_client', 'good', 'good'])
    const { app: fourth, end } = await rotated(created, {})
    assert.equal(end, undefined)
    assert.deepEqual(await statuses(second, third, fourth), [
      '401 invalid_client',
      '401 invalid_client',
      'good',
    ])
  })

  it('has one secret after its old one is revoked together with its tokens, even long after the rotation', async () => {
    const created = await developer.create(SIGNS_IN)
    const first = toTestApp(created)
    const user = await createUser(service)
    const { access_token: before } = await obtainTokens(service, {
      app: first,
      user,
      scope: 'catalog:read',
    })
    const { app: second } = await rotated(created, { previous_secret_expires_in: DAY })
    const after = await token(first)
    const { access_token: opaque } = await obtainTokens(service, {
      app: first,
      user,
      scope: 'openid',
    })
    const { access_token: opaqueOfNew } = await obtainTokens(service, {
      app: second,
      user,
      scope: 'openid',
    })
    const own = await token(second)
    const { status } = await developer.send('DELETE', `/${created.client_id}/secret/previous`)
    assert.equal(status, 204)
    assert.deepEqual(await statuses(first, second), ['401 invalid_client', 'good'])
    for (const each of [before, after]) assert.equal(await catalogStatus(service, each), REJECTED)
    assert.equal(await catalogStatus(service, own), '200')
    assert.equal((await fetchUserinfo(service, opaque)).status, 401)
    assert.equal((await fetchUserinfo(service, opaqueOfNew)).status, 200)
    const repeated = await developer.send('DELETE', `/${created.client_id}/secret/previous`)
    assert.equal(repeated.status, 204, 'without a previous secret')
    assert.equal(await catalogStatus(service, own), '200')
  })

  it('can have two secrets for up to 30 days, and gets tokens with both', async () => {
    const created = await developer.create({ scopes: ['catalog:read'] })
    const refusals: [body: object, field: string][] = [
      [{ previous_secret_expires_in: 30 * DAY + 1 }, 'previous_secret_expires_in'],
      [{ previous_secret_expires_in: -1 }, 'previous_secret_expires_in'],
      [{ previous_secret_expires_in: 1.5 }, 'previous_secret_expires_in'],
      [{ previous_secret_expires_in: '60' }, 'previous_secret_expires_in'],
      [{ previous_secret_expires_in: 60, revoke_tokens: true }, 'revoke_tokens'],
    ]
    for (const [body, field] of refusals) {
      const { status, fields } = await rotate(created, body)
      assert.deepEqual([status, fields], [422, [field]], JSON.stringify(body))
    }
    assert.deepEqual(await statuses(toTestApp(created)), ['good'])
    await rotated(created, { previous_secret_expires_in: 30 * DAY })
    await rotated(created, { previous_secret_expires_in: 0, revoke_tokens: true })
  })

  it('keeps its old secret if the operator requests that at a rotation, and loses every secret when it becomes public', async () => {
    const created = await developer.create(SIGNS_IN)
    const first = toTestApp(created)
    const secret = (await replaceSecret(service.db, created.client_id, DAY)) ?? ''
    assert.deepEqual(await statuses(first, { ...first, secret }), ['good', 'good'])
    const issued = [await token(first), await token({ ...first, secret })]
    await developer.send('DELETE', `/${created.client_id}/secret/previous`)
    const outcomes = await Promise.all(issued.map((each) => catalogStatus(service, each)))
    assert.deepEqual(outcomes, [REJECTED, '200'])
    const asPublic = await developer.send('PATCH', `/${created.client_id}`, {
      client_type: 'public',
    })
    assert.equal(asPublic.status, 200)
    const { data } = await developer.send('PATCH', `/${created.client_id}`, {
      client_type: 'confidential',
    })
    assert.deepEqual(await statuses(first, { ...first, secret }, toTestApp(data)), [
      '401 invalid_client',
      '401 invalid_client',
      'good',
    ])
  })

  it('has only the links that are set, and shows them on its card', async () => {
    const plain = await developer.create()
    for (const field of ['privacy_uri', 'terms_uri', 'previous_secret_expires_at'])
      assert.ok(!(field in plain), field)
    const created = await developer.create({
      client_uri: 'https://example.org/',
      privacy_uri: 'https://example.org/privacy',
      terms_uri: 'http://localhost:8080/terms',
    })
    assert.deepEqual(
      [created.privacy_uri, created.terms_uri],
      ['https://example.org/privacy', 'http://localhost:8080/terms'],
    )
    await obtainTokens(service, {
      app: toTestApp((await developer.send('PATCH', `/${created.client_id}`, SIGNS_IN)).data),
      user: await createUser(service),
      scope: 'status:write',
    }).catch(() => {})
    const {
      createdAt,
      developer: owner,
      ...card
    } = (await findAppCard(service.db, created.client_id)) ?? {}
    assert.equal(createdAt?.toISOString(), created.created_at)
    assert.equal(owner?.name, 'Developer')
    assert.ok(owner && owner.since < new Date())
    assert.deepEqual(card, {
      name: 'An app',
      logo: null,
      homepage: 'https://example.org/',
      privacy: 'https://example.org/privacy',
      terms: 'http://localhost:8080/terms',
      readers: 1,
      documentHost: null,
    })
    const { data } = await developer.send('PATCH', `/${created.client_id}`, { terms_uri: null })
    assert.ok(!('terms_uri' in data) && data.privacy_uri !== undefined)
    assert.equal((await findAppCard(service.db, 'mokuroku-console'))?.developer, null)
    assert.equal(await findAppCard(service.db, 'mk_0000000000000000'), undefined)
  })

  it('has a logo that is uploaded, linked or missing', async () => {
    const app = await developer.create({ logo: 'https://example.org/logo.png' })
    const send = async (bytes: Buffer, type = 'image/png', clientId = app.client_id) => {
      const response = await fetch(`${service.url}${APPS_PATH}/${clientId}/logo`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${developer.token}`, 'content-type': type },
        body: new Uint8Array(bytes),
      })
      // as: an error has no data, so the assertion fails
      const { data } = (await response.json()) as { data?: DeveloperApp }
      return { status: response.status, logo: data?.logo }
    }
    const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: '#2b4c80' } })
    const png = await picture.png().toBuffer()
    const { status, logo = '' } = await send(png)
    assert.equal(status, 200)
    assert.match(logo ?? '', new RegExp(`^${service.config.baseUrl}/uploads/[\\w-]+\\.webp$`))
    assert.equal((await findAppCard(service.db, app.client_id))?.logo, new URL(logo ?? '').pathname)
    assert.equal((await send(Buffer.from('<svg/>'))).status, 422)
    assert.equal((await send(png, 'image/svg+xml')).status, 415)
    assert.equal((await send(png, 'image/png', 'mokuroku-console')).status, 404)
    const named = { logo: 'https://example.org/other.png' }
    assert.equal((await developer.send('PATCH', `/${app.client_id}`, named)).data.logo, named.logo)
    assert.equal((await findAppCard(service.db, app.client_id))?.logo, null)
    assert.equal(
      (await developer.send('PATCH', `/${app.client_id}`, { logo: null })).data.logo,
      null,
    )
  })
})
