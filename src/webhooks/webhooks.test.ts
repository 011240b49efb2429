import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createClient, createUser, obtainTokens, signedInBrowser } from '#test/authorization.ts'
import type { TestUser } from '#test/authorization.ts'
import { eventually, type PlainBrowser } from '#test/browser.ts'
import { createDatabase, describeOnDatabase, type TestDatabase } from '#test/databases.ts'
import { spawnService } from '#test/service-process.ts'
import { startService, type TestApp, type TestService } from '#test/service.ts'
import { setRole } from '../accounts/role-queries.ts'
import { LANGUAGES } from '../i18n/languages.ts'
import { decrypt, makeReseal } from '../kernel/encryption.ts'
import { fetchForApps } from '../outbound/fetch-for-apps.ts'
import { attemptDelivery } from './attempt.ts'
import { listDeliveries, redeliver, sendTestEvent } from './delivery-queries.ts'
import {
  createEndpoint,
  deleteEndpoint,
  findEndpoint,
  resealWebhookSecrets,
  rotateWebhookSecret,
  secretName,
  setEndpointEnabled,
} from './endpoint-queries.ts'
import { readEndpointUrl } from './endpoint-url.ts'
import { MAX_ENDPOINTS, type WebhookEvent } from './events.ts'
import { newWebhookSecret, webhookHeaders } from './signature.ts'

/** Number of times that a service is killed. `WEBHOOK_KILLS` sets it for long runs. */
const KILLS = Number(process.env['WEBHOOK_KILLS'] ?? 2)

type Received = { path: string; headers: IncomingHttpHeaders; body: string }

/** Server of apps. `respond` decides what a path returns; 204 by default. */
async function startReceiver() {
  const received: Received[] = []
  const responses = new Map<string, (response: ServerResponse) => void>()
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      received.push({ path, headers: request.headers, body })
      const respond = responses.get(path)
      if (respond) respond(response)
      else response.writeHead(204).end()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  // as: the server listens on a port
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    at: (path: string) => received.filter((each) => each.path === path),
    respond: (path: string, with_: number | ((response: ServerResponse) => void)) =>
      responses.set(
        path,
        typeof with_ === 'number' ? (response) => response.writeHead(with_).end() : with_,
      ),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Verifies a signature with the Web Crypto API, as a receiver would. */
async function isSignedWith({ headers, body }: Received, secret: string) {
  const key = await crypto.subtle.importKey(
    'raw',
    Buffer.from(secret.replace(/^whsec_/, ''), 'base64'),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  )
  const signed = Buffer.from(
    `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`,
  )
  const verdicts = String(headers['webhook-signature'])
    .split(' ')
    .map((each) => crypto.subtle.verify('HMAC', key, Buffer.from(each.slice(3), 'base64'), signed))
  return (await Promise.all(verdicts)).some(Boolean)
}

let paths = 0

describeOnDatabase('webhooks', (engine) => {
  let service: TestService
  let receiver: Receiver
  let developer: TestUser
  let browser: PlainBrowser
  before(async () => {
    service = await startService({ engine })
    receiver = await startReceiver()
    developer = await createUser(service, 'Dora')
    browser = await signedInBrowser(service, developer)
  })
  after(async () => {
    await service.close()
    receiver.close()
  })
  // An endpoint would receive the events of later tests.
  beforeEach(() => sql`delete from webhook_endpoints`.execute(service.db))

  /** Creates an app of the developer with an endpoint at a new path. */
  async function withEndpoint(
    events: WebhookEvent[],
    own?: TestApp,
    accountId: number = developer.id,
  ) {
    const app = own ?? (await createClient(service, { accountId }))
    const owner = { accountId, clientId: app.clientId, origin: {} }
    paths += 1
    const path = `/hook-${paths}`
    const url = receiver.url + path
    const created = await createEndpoint(service.db, owner, { url, events }, undefined)
    assert.ok('id' in created)
    return { app, owner, path, ...created }
  }
  const received = async (path: string, count = 1) => {
    await eventually(async () => receiver.at(path).length >= count, `${count} requests at ${path}`)
    const requests = receiver.at(path)
    assert.equal(requests.length, count)
    return requests.map((request) => ({
      ...request,
      json: JSON.parse(request.body) as { type: string; timestamp: string; data: unknown },
    }))
  }
  const logOf = async (id: number) => (await listDeliveries(service.db, id))[0]
  /** Makes a delivery that waits for a retry due now. */
  const hurry = () =>
    sql`update webhook_deliveries set next_attempt_at = now() where next_attempt_at is not null`.execute(
      service.db,
    )
  const ended = (id: number) =>
    eventually(async () => (await logOf(id))?.next_attempt_at === null, 'the end of a delivery')
  const attempted = (id: number, attempts: number) =>
    eventually(async () => {
      const delivery = await logOf(id)
      return delivery?.attempts === attempts && delivery.duration_ms !== null
    }, `attempt ${attempts}`)

  it('report changes of the catalog with a valid signature', async () => {
    const { path, secret, id } = await withEndpoint(['catalog.changed'])
    await sql`update people set name = name || '!' where id = 1`.execute(service.db)
    const [request] = await received(path)
    assert.ok(request)
    const { since, latest_id: latest } = request.json.data as Record<string, number>
    assert.equal(request.json.type, 'catalog.changed')
    assert.ok(Number(latest) > Number(since))
    assert.equal(request.headers['content-type'], 'application/json')
    assert.match(String(request.headers['webhook-id']), /^msg_[\da-f]{32}$/)
    const age = Date.now() / 1_000 - Number(request.headers['webhook-timestamp'])
    assert.ok(Math.abs(age) < 300)
    assert.ok(await isSignedWith(request, secret))
    assert.ok(!(await isSignedWith({ ...request, body: `${request.body} ` }, secret)))
    await ended(id)
    const delivery = await logOf(id)
    assert.deepEqual([delivery?.status, delivery?.attempts], [204, 1])
    assert.ok(delivery?.delivered_at)
  })

  it('report changed records only to apps that the user has allowed to read them', async () => {
    const reader = await createUser(service)
    const allowed = await withEndpoint(['record.changed'])
    const other = await withEndpoint(['record.changed'])
    const asUser = { user: reader, browser: await signedInBrowser(service, reader) }
    const { access_token: token } = await obtainTokens(service, {
      app: allowed.app,
      ...asUser,
      scope: 'openid status:write status:notes',
    })
    await obtainTokens(service, { app: other.app, ...asUser, scope: 'openid user:read' })
    const put = async (body: object) => {
      const response = await fetch(`${service.url}/v3/user/me/rates/galgames/1`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      assert.equal(response.status, 200)
    }
    await put({ status: 'GOING', status_private: true, rate_content: 'A secret opinion' })
    const [request] = await received(allowed.path)
    assert.deepEqual(request?.json.data, {
      sub: String(reader.id),
      changes: [{ kind: 'GALGAME', work_id: 1, action: 'CREATED' }],
      has_more: false,
    })
    assert.doesNotMatch(request?.body ?? '', /secret/)
    assert.equal(receiver.at(other.path).length, 0)
    await put({ status: 'COMPLETED' })
    await received(allowed.path, 2)
  })

  it('stop reporting the records of a user who has revoked the app, even if a delivery is repeated', async () => {
    const reader = await createUser(service)
    const { app, path, id } = await withEndpoint(['record.changed'])
    receiver.respond(path, 500)
    const { access_token: token } = await obtainTokens(service, {
      app,
      user: reader,
      browser: await signedInBrowser(service, reader),
      scope: 'openid status:write',
    })
    await fetch(`${service.url}/v3/user/me/rates/galgames/1`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ status: 'GOING' }),
    })
    await attempted(id, 1)
    await sql`delete from consents where account_id = ${reader.id}`.execute(service.db)
    await hurry()
    await ended(id)
    assert.ok(await redeliver(service.db, id, (await logOf(id))?.id ?? 0))
    await ended(id)
    assert.equal(receiver.at(path).length, 1)
  })

  it('report ratings among any number of changes of notes', async () => {
    const reader = await createUser(service)
    const { app, path } = await withEndpoint(['record.changed'])
    await obtainTokens(service, {
      app,
      user: reader,
      browser: await signedInBrowser(service, reader),
      scope: 'openid status:read',
    })
    await sql`
      insert into rating_changes (account_id, work_id, kind, action, fields)
      select ${reader.id}, 1, 'galgame', 'CHANGED', jsonb_build_object(
        case when number < 150 then 'private_note' else 'rate' end, jsonb_build_object('from', null, 'to', 'x')
      )
      from generate_series(1, 150) number`.execute(service.db)
    const [request] = await received(path)
    assert.deepEqual(request?.json.data, {
      sub: String(reader.id),
      changes: [{ kind: 'GALGAME', work_id: 1, action: 'CHANGED' }],
      has_more: false,
    })
  })

  it('reach other developers while the receivers of one are slow', async () => {
    const other = await createUser(service)
    const slow = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const app = await createClient(service, { accountId: developer.id })
        const owner = { accountId: developer.id, clientId: app.clientId, origin: {} }
        const url = `${receiver.url}/slow-${index}`
        receiver.respond(`/slow-${index}`, () => {})
        return createEndpoint(service.db, owner, { url, events: ['catalog.changed'] }, undefined)
      }),
    )
    for (const created of slow) {
      assert.ok('id' in created)
      await sendTestEvent(service.db, created.id)
    }
    await eventually(
      async () => receiver.received.some((each) => each.path.startsWith('/slow-')),
      'a slow request',
    )
    const app = await createClient(service, { accountId: other.id })
    const { path, id } = await withEndpoint(['catalog.changed'], app, other.id)
    await sendTestEvent(service.db, id)
    await received(path)
    assert.ok(receiver.received.filter((each) => each.path.startsWith('/slow-')).length <= 6)
  })

  it('report that a user has revoked the app, once the app is enabled', async () => {
    const reader = await createUser(service)
    const { app, path, id } = await withEndpoint(['app.revoked'])
    await obtainTokens(service, {
      app,
      user: reader,
      browser: await signedInBrowser(service, reader),
      scope: 'openid status:read',
    })
    await sql`update apps set enabled = false where client_id = ${app.clientId}`.execute(service.db)
    await sql`delete from consents where account_id = ${reader.id}`.execute(service.db)
    await eventually(async () => {
      const delivery = await logOf(id)
      return delivery?.attempts === 0 && Number(delivery.next_attempt_at) > Date.now() + 1_800_000
    }, 'a delivery that waits for the app')
    await sql`update apps set enabled = true where client_id = ${app.clientId}`.execute(service.db)
    await hurry()
    const [request] = await received(path)
    assert.deepEqual(
      [request?.json.type, request?.json.data],
      ['app.revoked', { sub: String(reader.id) }],
    )
  })

  it('are repeated with the same ID after a failure, later each time', async () => {
    const { path, id } = await withEndpoint(['catalog.changed'])
    receiver.respond(path, 500)
    assert.ok(await sendTestEvent(service.db, id))
    const waits: number[] = []
    for (const attempt of [1, 2, 3]) {
      await attempted(id, attempt)
      const { rows } = await sql<{ seconds: number }>`
        select extract(epoch from next_attempt_at - attempted_at)::double precision as seconds
        from webhook_deliveries where endpoint_id = ${id}`.execute(service.db)
      waits.push(rows[0]?.seconds ?? 0)
      if (attempt === 3) receiver.respond(path, 200)
      await sql`update webhook_deliveries set duration_ms = null`.execute(service.db)
      await hurry()
    }
    for (const [index, wait] of waits.entries())
      assert.ok(wait >= 8 * 4.4 ** index, `${wait} s after attempt ${index + 1}`)
    await ended(id)
    const ids = receiver.at(path).map(({ headers }) => headers['webhook-id'])
    assert.equal(ids.length, 4)
    assert.equal(new Set(ids).size, 1)
    assert.equal((await findEndpoint(service.db, await clientOf(id), id))?.failing_since, null)
  })
  const clientOf = async (id: number) => {
    const { rows } = await sql<{ client_id: string }>`
      select client_id from webhook_endpoints where id = ${id}`.execute(service.db)
    return rows[0]?.client_id ?? ''
  }

  it('end after the last attempt, and can be redelivered', async () => {
    const { path, id } = await withEndpoint(['catalog.changed'])
    receiver.respond(path, 503)
    await sendTestEvent(service.db, id)
    await attempted(id, 1)
    await sql`update webhook_deliveries set attempts = 7, next_attempt_at = now() where endpoint_id = ${id}`.execute(
      service.db,
    )
    await ended(id)
    const failed = await logOf(id)
    assert.deepEqual([failed?.status, failed?.delivered_at, failed?.attempts], [503, null, 8])
    receiver.respond(path, 200)
    assert.ok(await redeliver(service.db, id, failed?.id ?? 0))
    await eventually(async () => (await logOf(id))?.delivered_at != null, 'a repeated delivery')
  })

  it('stop after 410, and tell the owner', async () => {
    const { path, id, app, owner } = await withEndpoint(['catalog.changed'])
    receiver.respond(path, 410)
    await sendTestEvent(service.db, id)
    await eventually(
      async () => (await findEndpoint(service.db, app.clientId, id))?.disabled_because === 'gone',
      'a disabled endpoint',
    )
    const mails = await sql`
      select from mails where kind = 'webhook_disabled' and details ->> 'client_id' = ${app.clientId}`.execute(
      service.db,
    )
    const events = await sql`
      select from audit_events where client_id = ${app.clientId} and details ->> 'because' = 'gone'`.execute(
      service.db,
    )
    assert.ok(mails.rows.length <= 1, 'it may have been sent')
    assert.equal(events.rows.length, 1)
    assert.equal(await sendTestEvent(service.db, id), false)
    receiver.respond(path, 200)
    await setEndpointEnabled(service.db, owner, id, true)
    assert.ok(await sendTestEvent(service.db, id))
    await received(path, 2)
  })

  it('stop after three days of failures', async () => {
    const { path, id, app } = await withEndpoint(['catalog.changed'])
    receiver.respond(path, 500)
    for (const [days, because] of [
      [2, null],
      [4, 'failing'],
    ] as const) {
      await sql`
        update webhook_endpoints set failing_since = now() - make_interval(days => ${days})
        where id = ${id}`.execute(service.db)
      await sql`update webhook_deliveries set next_attempt_at = null`.execute(service.db)
      await sendTestEvent(service.db, id)
      await attempted(id, 1)
      const fresh = await findEndpoint(service.db, app.clientId, id)
      assert.equal(fresh?.disabled_because, null, 'after the first attempt of a delivery')
      await sql`
        update webhook_deliveries set attempts = 7, duration_ms = null, next_attempt_at = now()
        where next_attempt_at is not null`.execute(service.db)
      await attempted(id, 8)
      const endpoint = await findEndpoint(service.db, app.clientId, id)
      assert.equal(endpoint?.disabled_because, because)
    }
  })

  it('follow no redirects, and read no body', async () => {
    const { path, id } = await withEndpoint(['catalog.changed'])
    receiver.respond(path, (response) =>
      response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end(),
    )
    await sendTestEvent(service.db, id)
    await attempted(id, 1)
    assert.equal((await logOf(id))?.status, 302)
    assert.equal(receiver.at('/elsewhere').length, 0)
    const closed = Promise.withResolvers<void>()
    receiver.respond(path, (response) => {
      response.writeHead(200)
      const more = () => {
        while (response.write('x'.repeat(65_536)));
      }
      response.on('drain', more).on('close', () => closed.resolve())
      more()
    })
    await hurry()
    await ended(id)
    await closed.promise
    assert.equal((await logOf(id))?.status, 200)
  })

  it('combine changes of the catalog while a delivery is pending', async () => {
    const { path, id } = await withEndpoint(['catalog.changed'])
    receiver.respond(path, 500)
    const rename = () => sql`update people set name = name || '!' where id = 2`.execute(service.db)
    await rename()
    await attempted(id, 1)
    const latest = async () => {
      const { rows } = await sql<{ id: number }>`
        select max(id) as id from catalog_changes`.execute(service.db)
      return rows[0]?.id ?? 0
    }
    const earlier = await latest()
    await rename()
    await eventually(async () => (await latest()) > earlier, 'a second change')
    receiver.respond(path, 200)
    await hurry()
    const requests = await received(path, 3)
    const positions = requests.map(({ json }) => json.data as Record<string, number>)
    assert.deepEqual(positions[0], positions[1])
    assert.equal(positions[2]?.['since'], positions[1]?.['latest_id'])
    assert.equal(positions[2]?.['latest_id'], await latest())
  })

  it('are signed with both secrets after a rotation, until the previous one expires', async () => {
    const { path, id, secret, owner } = await withEndpoint(['catalog.changed'])
    const next = await rotateWebhookSecret(service.db, owner, id, undefined)
    assert.ok(next !== undefined)
    await sendTestEvent(service.db, id)
    const [both] = await received(path)
    assert.ok(both)
    assert.ok((await isSignedWith(both, secret)) && (await isSignedWith(both, next)))
    await ended(id)
    await sql`update webhook_endpoints set previous_secret_expires_at = now()`.execute(service.db)
    await sendTestEvent(service.db, id)
    const [, one] = await received(path, 2)
    assert.ok(one)
    assert.ok(!(await isSignedWith(one, secret)) && (await isSignedWith(one, next)))
  })

  it('are not sent to disabled apps or apps of banned owners', async () => {
    const { path, id, app } = await withEndpoint(['catalog.changed'])
    const set = async (isAllowed: boolean) => {
      await sql`update apps set enabled = ${isAllowed} where client_id = ${app.clientId}`.execute(
        service.db,
      )
    }
    await set(false)
    await sendTestEvent(service.db, id)
    await ended(id)
    await set(true)
    await sql`update accounts set banned_at = now() where id = ${developer.id}`.execute(service.db)
    await sendTestEvent(service.db, id)
    await ended(id)
    await sql`update accounts set banned_at = null where id = ${developer.id}`.execute(service.db)
    assert.equal(receiver.at(path).length, 0)
  })

  it('are limited to five per app and one per URL', async () => {
    const { app, owner, path } = await withEndpoint(['catalog.changed'])
    const add = (url: string) =>
      createEndpoint(service.db, owner, { url, events: ['app.revoked'] }, undefined)
    assert.deepEqual(await add(receiver.url + path), { fault: 'duplicate' })
    for (let count = 1; count < MAX_ENDPOINTS; count += 1)
      await withEndpoint(['catalog.changed'], app)
    assert.deepEqual(await add(`${receiver.url}/one-more`), { fault: 'limit' })
    const stranger = { ...owner, accountId: (await createUser(service)).id }
    await assert.rejects(
      createEndpoint(service.db, stranger, { url: receiver.url, events: [] }, undefined),
      { code: 'COMMON_NOT_FOUND' },
    )
  })

  it('are managed in the console', async () => {
    const app = await createClient(service, { accountId: developer.id })
    const path = `/console/apps/${app.clientId}/webhooks`
    const page = await browser.get(path)
    const form = (visit: typeof page, end: string) =>
      visit.forms.find(({ action }) => action.endsWith(end))
    const refused = await browser.submit(
      page,
      { url: 'http://10.0.0.1/hook', 'event_app.revoked': 'yes' },
      form(page, '/webhooks'),
    )
    assert.equal(refused.status, 422)
    const added = await browser.submit(
      page,
      { url: `${receiver.url}/console-hook`, 'event_app.revoked': 'yes' },
      form(page, '/webhooks'),
    )
    const [secret] = /whsec_[\w+/=]+/.exec(added.text) ?? []
    assert.ok(secret !== undefined)
    const one = /\/webhooks\/\d+/.exec((await browser.get(path)).text)?.[0] ?? ''
    const endpointPage = path.replace('/webhooks', one)
    assert.doesNotMatch((await browser.get(endpointPage)).text, /whsec_/)
    let shown = await browser.get(endpointPage)
    await browser.submit(shown, {}, form(shown, '/test'))
    const [request] = await received('/console-hook')
    assert.ok(request && (await isSignedWith(request, secret)))
    await ended(Number(one.split('/')[2]))
    shown = await browser.get(endpointPage)
    assert.match(shown.text, /webhook\.test/)
    const saved = await browser.submit(
      shown,
      { url: `${receiver.url}/console-hook`, 'event_catalog.changed': 'yes' },
      form(shown, one),
    )
    assert.match(saved.text, /Endpoint saved/)
    await browser.submit(shown, {}, form(shown, '/redeliver'))
    await received('/console-hook', 2)
    const rotated = await browser.submit(shown, {}, form(shown, '/secret'))
    assert.match(rotated.text, /whsec_/)
    shown = await browser.submit(shown, {}, form(shown, '/enabled'))
    assert.match(shown.text, /Disabled/)
    shown = await browser.submit(shown, {}, form(shown, '/delete'))
    assert.doesNotMatch(shown.text, /console-hook/)
    const { rows } = await sql<{ what: string }>`
      select details ->> 'webhook' as what from audit_events
      where client_id = ${app.clientId} and details ? 'webhook' order by id`.execute(service.db)
    assert.deepEqual(
      rows.map(({ what }) => what),
      ['created', 'changed', 'secret_rotated', 'disabled', 'deleted'],
    )
  })

  it('are listed at the desk, where an administrator disables them', async () => {
    const admin = await createUser(service)
    await setRole(service.db, admin.id, 'ADMIN')
    const desk = await signedInBrowser(service, admin)
    const { id, app, owner } = await withEndpoint(['catalog.changed'])
    const page = await desk.get('/desk/webhooks')
    const form = page.forms.find(({ action }) => action.endsWith(`/webhooks/${id}/disable`))
    assert.equal((await desk.submit(page, { note: '' }, form)).status, 422)
    const done = await desk.submit(page, { note: 'It floods others.' }, form)
    assert.match(done.text, /Disabled by the operator/)
    assert.equal((await findEndpoint(service.db, app.clientId, id))?.disabled_because, 'operator')
    const path = `/console/apps/${app.clientId}/webhooks/${id}`
    const shown = await browser.get(path)
    assert.ok(!shown.forms.some(({ action }) => action.endsWith('/enabled')))
    const csrf = shown.forms[0]?.fields['_csrf'] ?? ''
    await browser.post(`${path}/enabled`, { _csrf: csrf, enabled: 'yes' })
    assert.equal((await findEndpoint(service.db, app.clientId, id))?.disabled_because, 'operator')
    assert.equal(await deleteEndpoint(service.db, owner, id), 'refused')
  })

  it('encrypt their secrets, and encrypt them again when the key changes', async () => {
    const app = await createClient(service, { accountId: developer.id })
    const owner = { accountId: developer.id, clientId: app.clientId, origin: {} }
    const change = { url: `${receiver.url}/sealed`, events: ['app.revoked' as const] }
    const [before_, after_] = ['a'.repeat(32), 'b'.repeat(32)] as const
    const created = await createEndpoint(service.db, owner, change, before_)
    assert.ok('id' in created)
    const stored = async () => {
      const { rows } = await sql<{ secret: string }>`
        select secret from webhook_endpoints where id = ${created.id}`.execute(service.db)
      return rows[0]?.secret ?? ''
    }
    assert.doesNotMatch(await stored(), /whsec_/)
    assert.equal(await resealWebhookSecrets(service.db, makeReseal(before_, after_)), 1)
    assert.equal(decrypt(await stored(), secretName(created.id), after_), created.secret)
  })

  it('disappear with their endpoint, app or owner', async () => {
    const count = async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::integer as count from webhook_deliveries`.execute(service.db)
      return rows[0]?.count
    }
    const one = await withEndpoint(['catalog.changed'])
    await sendTestEvent(service.db, one.id)
    assert.equal(await deleteEndpoint(service.db, one.owner, one.id), undefined)
    assert.equal(await count(), 0)
    const other = await withEndpoint(['catalog.changed'])
    await sendTestEvent(service.db, other.id)
    await sql`delete from apps where client_id = ${other.app.clientId}`.execute(service.db)
    assert.equal(await count(), 0)
  })
})

describe('several services', () => {
  let database: TestDatabase
  let receiver: Receiver
  before(async () => {
    database = await createDatabase('server', 'sample')
    receiver = await startReceiver()
  })
  after(async () => {
    receiver.close()
    await database.remove()
  })

  /** Creates an endpoint, and returns a function that adds deliveries to it. */
  async function endpointAt({ db, createApp }: TestService, path: string) {
    const owner = await createUser({ db })
    const { clientId } = await createApp({ accountId: owner.id })
    const created = await createEndpoint(
      db,
      { accountId: owner.id, clientId, origin: {} },
      { url: receiver.url + path, events: ['app.revoked'] },
      undefined,
    )
    assert.ok('id' in created)
    const add = (count: number) =>
      sql`
        insert into webhook_deliveries (endpoint_id, event, data)
        select ${created.id}, 'webhook.test', '{}' from generate_series(1, ${count})`.execute(db)
    return { id: created.id, add }
  }
  const idsAt = (path: string) => receiver.at(path).map(({ headers }) => headers['webhook-id'])

  it('send each delivery once', async () => {
    const one = await startService({ engine: 'server', database })
    const other = await startService({ engine: 'server', database })
    const { add } = await endpointAt(one, '/once')
    await add(40)
    await eventually(async () => new Set(idsAt('/once')).size === 40, '40 deliveries')
    await other.close()
    await one.close()
    assert.equal(idsAt('/once').length, 40)
  })

  it(`lose no delivery when a service is killed ${KILLS} times`, async () => {
    const one = await startService({ engine: 'server', database, environment: { WEBHOOKS: 'off' } })
    const { add } = await endpointAt(one, '/killed')
    receiver.respond('/killed', (response) => setTimeout(() => response.writeHead(200).end(), 5))
    const environment = {
      DATABASE_URL: database.databaseUrl,
      DATA_DIR: database.dataDir,
      OVERLOAD_PROTECTION: 'off',
    }
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await add(50)
      const killed = await spawnService(environment)
      const before_ = receiver.at('/killed').length
      await eventually(async () => receiver.at('/killed').length > before_ + 5, 'some deliveries')
      await killed.stop('SIGKILL')
      // Leases of the killed process would delay the end of the test.
      await sql`
        update webhook_deliveries set next_attempt_at = now() where next_attempt_at is not null`.execute(
        one.db,
      )
    }
    const last = await spawnService(environment)
    await eventually(async () => new Set(idsAt('/killed')).size === 50 * KILLS, 'every delivery')
    await last.stop()
    await one.close()
  })
})

describe('an attempt', () => {
  const attempt = (url: string, addresses: string[]) => {
    const resolved = [...addresses]
    return attemptDelivery(
      {
        send: fetchForApps('https://id.example.org', async () => [
          { address: resolved.shift() ?? '', family: 4 },
        ]),
        isLocal: false,
        secretKey: undefined,
        now: Date.now,
      },
      {
        id: 1,
        endpoint_id: 1,
        owner_id: null,
        message_id: 'msg_1',
        event: 'webhook.test',
        data: {},
        created_at: new Date(),
        attempts: 1,
        url,
        secret: 'whsec_AAAA',
        previous_secret: null,
        is_allowed: true,
      },
    )
  }

  it('contacts no private address, whatever a name resolves to', async () => {
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.168.0.1']) {
      const { isAccepted, status, error } = await attempt('https://app.example.org/', [address])
      assert.deepEqual([isAccepted, status], [false, null])
      assert.match(error ?? '', /non-public address/)
    }
    // A name that was public when the endpoint was saved may point elsewhere now.
    for (const url of ['https://10.0.0.1/', 'https://[::1]/', 'http://app.example.org/'])
      assert.equal((await attempt(url, ['127.0.0.1'])).isAccepted, false, url)
  })
})

describe('the URL of an endpoint', () => {
  it('uses https on an allowed port, except on a developer’s own machine', () => {
    for (const [url, isLocal, expected] of [
      ['https://app.example.org/hook?key=1#part', false, 'https://app.example.org/hook?key=1'],
      ['https://app.example.org:8443/', false, 'https://app.example.org:8443/'],
      ['https://app.example.org:22/', false, undefined],
      ['https://app.example.org:80/', false, undefined],
      ['http://app.example.org/', false, undefined],
      ['http://app.example.org/', true, undefined],
      ['https://user:word@app.example.org/', false, undefined],
      ['http://127.0.0.1:3000/', true, 'http://127.0.0.1:3000/'],
      ['http://127.0.0.1:3000/', false, undefined],
      ['https://localhost/', false, undefined],
      ['ftp://app.example.org/', false, undefined],
      ['', false, undefined],
    ] as const)
      assert.equal(readEndpointUrl(url, isLocal), expected, url)
  })
})

describe('the code in the guide', () => {
  it('accepts genuine requests only, in every language', async () => {
    for (const language of LANGUAGES) {
      const page = new URL(`../i18n/locales/${language}/guide/webhooks.md`, import.meta.url)
      const [, code = ''] = /```js\n(.*?)```/s.exec(readFileSync(page, 'utf8')) ?? []
      // as: what the code exports
      const { isGenuine } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
        isGenuine(headers: object, body: string, secret: string): boolean
      }
      const secrets = [newWebhookSecret(), newWebhookSecret()]
      const [first = '', second = ''] = secrets
      const at = (age: number) =>
        webhookHeaders(
          { id: 'msg_1', timestamp: Math.floor(Date.now() / 1_000) - age, body: '{}' },
          secrets,
        )
      assert.ok(isGenuine(at(0), '{}', first) && isGenuine(at(0), '{}', second))
      assert.ok(!isGenuine(at(0), '{ }', first))
      assert.ok(!isGenuine(at(0), '{}', newWebhookSecret()))
      assert.ok(!isGenuine(at(1_000), '{}', first))
    }
  })
})

describe('the signature', () => {
  it('matches Standard Webhooks', () => {
    const headers = webhookHeaders(
      {
        id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        timestamp: 1_614_265_330,
        body: '{"test": 2432232314}',
      },
      ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    )
    assert.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })
})
