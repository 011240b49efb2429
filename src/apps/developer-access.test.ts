import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import {
  authorizationRequest,
  createClient,
  obtainTokens,
  sendTokenRequest,
} from '#test/authorization.ts'
import { eventually, PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import {
  toTestApp,
  sendDeveloperRequest,
  consoleTokens,
  createDeveloper,
  APP_OPERATIONS,
  type Developer,
} from '#test/developer.ts'
import { startService, type TestService } from '#test/service.ts'
import { distinctResponses } from '#test/user-api.ts'
import { banAccount } from '../accounts/ban-queries.ts'
import {
  COMMAND_LINE_CLIENT_ID,
  CONSOLE_CLIENT_ID,
  consoleRedirectUri,
  REFERENCE_CLIENT_ID,
  REFERENCE_SCOPES,
  referenceRedirectUri,
} from './operator/first-party.ts'

describeOnDatabase('the developer API', (engine) => {
  let service: TestService
  let developer: Developer
  before(async () => {
    service = await startService({ engine, content: 'empty' })
    developer = await createDeveloper(service)
  })
  after(() => service.close())

  const allRequests: [string, string, object?][] = [
    ['GET', ''],
    ['POST', '', { client_name: 'x' }],
    ...APP_OPERATIONS.map(
      ([method, rest, body]) =>
        [method, `/mk_x${rest}`, ...(body ? [body] : [])] as [string, string, object?],
    ),
  ]
  const refusals = (token?: string) =>
    distinctResponses(allRequests, ([method, path, body]) =>
      sendDeveloperRequest(service.url, { method, path, token, body }),
    )

  it('returns 401 without a valid token and for application tokens', async () => {
    assert.equal(await refusals(), '401 AUTH_UNAUTHENTICATED')
    assert.equal(await refusals('no.good.token'), '401 AUTH_TOKEN_INVALID')
    assert.equal(await refusals(await service.token('catalog:full')), '401 AUTH_UNAUTHENTICATED')
  })

  it('returns 403, naming the scope, for user tokens without developer:apps', async () => {
    const client = await createClient(service, { accountId: developer.user.id })
    const { access_token } = await obtainTokens(service, { app: client, user: developer.user })
    assert.equal(await refusals(access_token), '403 AUTH_FORBIDDEN')
    const response = await sendDeveloperRequest(service.url, { token: access_token, method: 'GET' })
    assert.deepEqual(response.details, { required_scope: 'developer:apps' })
    assert.match(
      response.headers.get('www-authenticate') ?? '',
      /insufficient_scope.*developer:apps/,
    )
  })

  it('rejects opaque tokens', async () => {
    const { access_token } = await consoleTokens(service, developer.user, 'openid')
    assert.equal(await refusals(access_token), '401 AUTH_TOKEN_INVALID')
  })

  it('rejects banned users', async () => {
    const developer = await createDeveloper(service)
    await banAccount(service.db, developer.user.id, 'spam')
    await eventually(async () => (await developer.send('GET')).code === 'USER_BANNED')
    const { status, code } = await developer.send('POST', '', { client_name: 'x' })
    assert.deepEqual([status, code], [403, 'USER_BANNED'])
  })

  it('is closed to third-party apps, which cannot select, request or be granted developer:apps', async () => {
    const redirect_uris = ['https://example.org/cb']
    const app = await developer.create({ redirect_uris, scopes: ['user:read'] })
    for (const scopes of [['developer:apps'], ['user:read', 'developer:apps']]) {
      const { status, fields } = await developer.send('PATCH', `/${app.client_id}`, { scopes })
      assert.deepEqual([status, fields], [422, [`scopes.${scopes.length - 1}`]])
      const created = await developer.send('POST', '', { client_name: 'x', redirect_uris, scopes })
      assert.equal(created.status, 422)
    }
    // The app is refused even if the scope is stored for it.
    await sql`update apps set scopes = '["user:read", "developer:apps"]' where client_id = ${app.client_id}`.execute(
      service.db,
    )
    const { path } = authorizationRequest(toTestApp(app), {
      redirect_uri: redirect_uris[0],
      scope: 'developer:apps',
    })
    const { location = '' } = await new PlainBrowser(service.url).get(path)
    assert.equal(new URL(location).searchParams.get('error'), 'invalid_scope')
    const { status, body } = await sendTokenRequest(service, toTestApp(app), {
      grant_type: 'client_credentials',
      scope: 'developer:apps',
    })
    assert.deepEqual([status, body['error']], [400, 'invalid_scope'])
  })

  it('is open to the console and the command line, which are public clients, but not to the API reference', async () => {
    const rows = await Promise.all(
      [CONSOLE_CLIENT_ID, COMMAND_LINE_CLIENT_ID].map((id) =>
        service.db.selectFrom('apps').selectAll().where('client_id', '=', id).executeTakeFirst(),
      ),
    )
    assert.deepEqual(
      rows.map((row) => [row?.account_id, row?.client_type, row?.secret_hash, row?.scopes]),
      [CONSOLE_CLIENT_ID, COMMAND_LINE_CLIENT_ID].map(() => [
        null,
        'public',
        null,
        ['developer:apps'],
      ]),
    )
    assert.deepEqual(rows[0]?.redirect_uris, [consoleRedirectUri(service.config.baseUrl)])
    const reference = await service.db
      .selectFrom('apps')
      .selectAll()
      .where('client_id', '=', REFERENCE_CLIENT_ID)
      .executeTakeFirstOrThrow()
    assert.deepEqual(
      [reference.account_id, reference.client_type, reference.secret_hash, reference.scopes],
      [null, 'public', null, REFERENCE_SCOPES],
    )
    assert.deepEqual(reference.redirect_uris, [referenceRedirectUri(service.config.authUrl)])
  })
})
