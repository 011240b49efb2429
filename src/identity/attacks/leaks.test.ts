import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { sql } from 'kysely'
import { after, before, it } from 'node:test'
import {
  authorizationRequest,
  basicAuthorization,
  createClient,
  createUser,
  completeFlow,
  obtainTokens,
  postToProvider,
  redeem,
  refresh,
  sendTokenRequest,
  submitSignIn,
} from '#test/authorization.ts'
import { createDatabase, describeOnDatabase, type TestDatabase } from '#test/databases.ts'
import { PlainBrowser } from '#test/browser.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { startService, type TestService } from '#test/service.ts'
import { FORM, HTML, send } from '#test/attacks.ts'
import { resealSecrets } from '../reseal.ts'

const SECRET_KEY = 'k'.repeat(44)

/** Creates one of every bearer credential in every flow. */
async function createCredentials(service: TestService): Promise<Map<string, string>> {
  const secrets = new Map<string, string>()
  const note = (name: string, value: unknown) => {
    assert.ok(typeof value === 'string' && value.length > 7, `${name} is there`)
    secrets.set(name, value)
  }
  const app = await createClient(service, { applicationType: 'native' })
  const user = await createUser(service)
  note('client secret', app.secret)
  note('password', user.password)
  const browser = new PlainBrowser(service.url)
  await submitSignIn(browser, { ...user, password: 'a wrong password, nearly right' })
  secrets.set('wrong password', 'a wrong password, nearly right')
  const { path, verifier } = authorizationRequest(app, {
    scope: 'openid offline_access status:write',
    prompt: 'consent',
  })
  const page = await browser.get(path)
  note('form token', page.forms[0]?.fields['_csrf'])
  const pending = new URL(page.url).searchParams.get('interaction')
  note('pending authorization', pending)
  note('anonymous cookie', browser.cookies('/')['mokuroku-csrf'])
  const visit = await completeFlow(browser, page, user)
  const code = new URL(visit.location ?? '').searchParams.get('code') ?? ''
  note('code', code)
  note('verifier', verifier)
  note('session', browser.cookies('/')['mokuroku-session'])
  note('device cookie', browser.cookies('/')['mokuroku-device'])
  await redeem(service, app, code, 'A'.repeat(43))
  const { body } = await redeem(service, app, code, verifier)
  for (const kind of ['access_token', 'id_token', 'refresh_token']) note(kind, body[kind])
  const renewed = await refresh(service, app, String(body['refresh_token']))
  note('next refresh token', renewed.body['refresh_token'])
  const opaque = await obtainTokens(service, { app, user, browser, scope: 'openid email' })
  note('opaque token', opaque.access_token)
  await service.get('/oidc/me', opaque.access_token)
  const application = await sendTokenRequest(service, app, {
    grant_type: 'client_credentials',
    scope: 'catalog:full',
  })
  note('application token', application.body['access_token'])
  await service.get('/api/v3/open/galgames/1', String(application.body['access_token']))
  const device = await postToProvider(
    `${service.url}/oidc/device/auth`,
    { scope: 'openid' },
    basicAuthorization(app),
  )
  note('device code', device.body['device_code'])
  await sendTokenRequest(service, app, {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: String(device.body['device_code']),
  })
  const pushed = Object.fromEntries(new URLSearchParams(path.split('?')[1]))
  const { body: par } = await postToProvider(
    `${service.url}/oidc/request`,
    pushed,
    basicAuthorization(app),
  )
  note('pushed request', String(par['request_uri']).split(':').at(-1))
  const second = await browser.get(
    authorizationRequest(app, { prompt: 'login', scope: 'openid' }).path,
  )
  note('another pending authorization', new URL(second.url).searchParams.get('interaction'))
  // Presents each credential where it is not accepted.
  for (const secret of secrets.values()) {
    await send(service.url, `/oidc/auth?client_id=x&code=${encodeURIComponent(secret)}`, {
      headers: HTML,
    })
    await service.get('/oidc/me', secret.replaceAll(/[^\w.-]/g, ''))
    await postToProvider(
      `${service.url}/oidc/token`,
      { grant_type: 'refresh_token', refresh_token: secret },
      basicAuthorization(app),
    )
    const headers = { ...HTML, ...FORM, cookie: `mokuroku-session=${encodeURIComponent(secret)}` }
    await send(service.url, '/sign-in', {
      method: 'POST',
      headers,
      body: new URLSearchParams({ password: secret }).toString(),
    })
  }
  return secrets
}

describeOnDatabase('bearer credentials', (engine) => {
  let service: TestService
  let database: TestDatabase
  let secrets: Map<string, string>
  before(async () => {
    database = await createDatabase(engine, 'sample')
    await withTestDatabase(database, (db) => resealSecrets(db, undefined, SECRET_KEY))
    service = await startService({
      database,
      environment: { ACCESS_LOG: 'log', LOG_LEVEL: 'debug', SECRET_KEY },
    })
    secrets = await createCredentials(service)
  })
  after(async () => {
    await service.close()
    await database.remove()
  })

  it('are not in the log', () => {
    const log = JSON.stringify(service.logged)
    assert.ok(service.logged.length > 50, 'the requests are')
    const found = [...secrets].flatMap(([name, secret]) => (log.includes(secret) ? [name] : []))
    // The URL of a page contains its interaction id, which only works with the browser's cookie.
    assert.deepEqual(
      found.filter((name) => !name.endsWith('pending authorization')),
      [],
    )
  })

  it('are not in the request log, which records only the path and size', async () => {
    const [code, token] = ['a-code-of-a-query', await service.token()]
    const socket = connect(service.config.port, '127.0.0.1')
    let bytes = 0
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length))
    socket.write(
      `GET /v3/galgames/1/characters?code=${code} HTTP/1.1\r\nHost: a\r\nUser-Agent: Launcher/1.0\r\n` +
        `Authorization: Bearer ${token}\r\nX-Request-Id: one-line\r\nConnection: close\r\n\r\n`,
    )
    await once(socket, 'close')
    const lines = service.logged.filter(({ request_id }) => request_id === 'one-line')
    assert.equal(lines.length, 1)
    const {
      time: _time,
      level: _level,
      pid: _pid,
      hostname: _host,
      ms,
      client_id,
      ...line
    } = lines[0] ?? {}
    assert.deepEqual(line, {
      request_id: 'one-line',
      address: '127.0.0.1',
      user_agent: 'Launcher/1.0',
      method: 'GET',
      path: '/v3/galgames/1/characters',
      route: '/v3/galgames/:id/characters',
      status: 200,
      bytes,
    })
    assert.ok(Number(ms) > 0)
    assert.match(String(client_id), /^mk_/)
    for (const secret of [code, token]) assert.ok(!JSON.stringify(service.logged).includes(secret))
  })

  it('are not stored in plain text', async () => {
    const { rows: columns } = await sql<{ table: string; column: string }>`
      select table_name as table, column_name as column
      from information_schema.columns
      where table_schema = 'public' and data_type in ('text', 'jsonb', 'json', 'character varying', 'bytea')
    `.execute(service.db)
    assert.ok(columns.length > 40)
    const leaked = new Set<string>()
    let seen = 0
    for (const { table, column } of columns) {
      const { rows } = await sql<{ value: string }>`
        select ${sql.ref(column)}::text as value from ${sql.table(table)} where ${sql.ref(column)} is not null
      `.execute(service.db)
      seen += rows.length
      for (const { value } of rows)
        for (const [name, secret] of secrets)
          if (value.includes(secret)) leaked.add(`${name} in ${table}.${column}`)
    }
    assert.ok(seen > 100, 'something was looked at')
    assert.deepEqual([...leaked], [])
  })

  it('cannot be forged with the stored keys, because these are encrypted', async () => {
    const keys = await service.db.selectFrom('signing_keys').select('private_jwk').execute()
    const { value } = await service.db
      .selectFrom('installation')
      .select('value')
      .where('name', '=', 'cookie_keys')
      .executeTakeFirstOrThrow()
    for (const text of [...keys.map(({ private_jwk }) => private_jwk), JSON.stringify(value)])
      assert.doesNotMatch(text, /"d":|"kty"|\["[\w-]{43}"\]/)
  })
})
