import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { sql } from 'kysely'
import { createClient, createUser, obtainTokens, signedInBrowser } from '#test/authorization.ts'
import type { TestUser } from '#test/authorization.ts'
import { eventually } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import {
  isSignedWith,
  startWebhookTest,
  waitForFollowing,
  type Receiver,
  type WebhookTest,
} from '#test/webhooks.ts'
import { redeliver, sendTestEvent } from './delivery-queries.ts'
import {
  createEndpoint,
  findEndpoint,
  rotateWebhookSecret,
  setEndpointEnabled,
} from './endpoint-queries.ts'

describeOnDatabase('webhooks', (engine) => {
  let hooks: WebhookTest
  let service: TestService
  let receiver: Receiver
  let developer: TestUser
  /** Endpoint that keeps the service following changes of records between the tests. */
  let permanent: number
  before(async () => {
    hooks = await startWebhookTest(engine)
    ;({ service, receiver, developer } = hooks)
    const { id } = await hooks.withEndpoint(['record.changed'])
    await waitForFollowing(service.db)
    permanent = id
  })
  after(() => hooks.close())
  // An endpoint would receive the events of later tests.
  beforeEach(() => sql`delete from webhook_endpoints where id <> ${permanent}`.execute(service.db))

  it('report changes of the catalog with a valid signature', async () => {
    const { path, secret, id } = await hooks.withEndpoint(['catalog.changed'])
    await sql`update people set name = name || '!' where id = 1`.execute(service.db)
    const [request] = await hooks.received(path)
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
    await hooks.ended(id)
    const delivery = await hooks.logOf(id)
    assert.deepEqual([delivery?.status, delivery?.attempts], [204, 1])
    assert.ok(delivery?.delivered_at)
  })

  it('report changed records only to apps that the user has allowed to read them', async () => {
    const reader = await createUser(service)
    const allowed = await hooks.withEndpoint(['record.changed'])
    const other = await hooks.withEndpoint(['record.changed'])
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
    const [request] = await hooks.received(allowed.path)
    assert.deepEqual(request?.json.data, {
      sub: String(reader.id),
      changes: [{ kind: 'GALGAME', work_id: 1, action: 'CREATED' }],
      has_more: false,
    })
    assert.doesNotMatch(request?.body ?? '', /secret/)
    assert.equal(receiver.at(other.path).length, 0)
    await put({ status: 'COMPLETED' })
    await hooks.received(allowed.path, 2)
  })

  it('stop reporting the records of a user who has revoked the app, even if a delivery is repeated', async () => {
    const reader = await createUser(service)
    const { app, path, id } = await hooks.withEndpoint(['record.changed'])
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
    await hooks.attempted(id, 1)
    await sql`delete from consents where account_id = ${reader.id}`.execute(service.db)
    await hooks.hurry()
    await hooks.ended(id)
    assert.ok(await redeliver(service.db, id, (await hooks.logOf(id))?.id ?? 0))
    await hooks.ended(id)
    assert.equal(receiver.at(path).length, 1)
  })

  it('report ratings among any number of changes of notes', async () => {
    const reader = await createUser(service)
    const { app, path } = await hooks.withEndpoint(['record.changed'])
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
    const [request] = await hooks.received(path)
    assert.deepEqual(request?.json.data, {
      sub: String(reader.id),
      changes: [{ kind: 'GALGAME', work_id: 1, action: 'CHANGED' }],
      has_more: false,
    })
  })

  it('are marked as incomplete if a thousand are pending, once for each user', async () => {
    const { app, path, id } = await hooks.withEndpoint(['record.changed'])
    receiver.respond(path, 500)
    const [one, other] = [await createUser(service), await createUser(service)]
    const change = async (work: number) => {
      await sql`
        insert into rating_changes (account_id, work_id, kind, action, fields)
        select id, ${work}, 'galgame', 'CHANGED', '{"rate": {}}'
        from unnest(${[one.id, other.id]}::bigint[]) id`.execute(service.db)
    }
    for (const { id: account } of [one, other])
      await sql`
        insert into consents (account_id, client_id, scopes)
        values (${account}, ${app.clientId}, '["status:read"]')`.execute(service.db)
    // Their attempts have begun, so each user gets another delivery, which waits for them.
    await sql`
      insert into webhook_deliveries (endpoint_id, event, data, attempts, attempted_at, next_attempt_at)
      select
        ${id}, 'record.changed', jsonb_build_object('sub', sub, 'has_more', false), 1, now(),
        now() + interval '1 hour'
      from unnest(${[String(one.id), String(other.id)]}::text[]) sub, generate_series(1, 500)`.execute(
      service.db,
    )
    const added = async () => {
      const { rows } = await sql<{ sub: string; work: string; has_more: boolean; waits: boolean }>`
        select
          data ->> 'sub' as sub, data #>> '{changes,0,work_id}' as work,
          (data -> 'has_more')::boolean as has_more, next_attempt_at > now() + interval '30 minutes' as waits
        from webhook_deliveries
        where endpoint_id = ${id} and (attempts = 0 or (data -> 'has_more')::boolean)
        order by id`.execute(service.db)
      return rows
    }
    const expected = (hasMore: boolean) =>
      [one, other].map((user) => ({
        sub: String(user.id),
        work: '1',
        has_more: hasMore,
        waits: true,
      }))
    await change(1)
    await eventually(async () => (await added()).length > 0, 'two deliveries')
    assert.deepEqual(await added(), expected(false))
    await change(2)
    await eventually(async () => (await added())[0]?.has_more === true, 'a mark')
    assert.deepEqual(await added(), expected(true))
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
    const { path, id } = await hooks.withEndpoint(['catalog.changed'], app, other.id)
    await sendTestEvent(service.db, id)
    await hooks.received(path)
    assert.ok(receiver.received.filter((each) => each.path.startsWith('/slow-')).length <= 6)
  })

  it('report that a user has revoked the app, once the app is enabled', async () => {
    const reader = await createUser(service)
    const { app, path, id } = await hooks.withEndpoint(['app.revoked'])
    await obtainTokens(service, {
      app,
      user: reader,
      browser: await signedInBrowser(service, reader),
      scope: 'openid status:read',
    })
    await sql`update apps set enabled = false where client_id = ${app.clientId}`.execute(service.db)
    await sql`delete from consents where account_id = ${reader.id}`.execute(service.db)
    await eventually(async () => {
      const delivery = await hooks.logOf(id)
      return delivery?.attempts === 0 && Number(delivery.next_attempt_at) > Date.now() + 1_800_000
    }, 'a delivery that waits for the app')
    await sql`update apps set enabled = true where client_id = ${app.clientId}`.execute(service.db)
    await hooks.hurry()
    const [request] = await hooks.received(path)
    assert.deepEqual(
      [request?.json.type, request?.json.data],
      ['app.revoked', { sub: String(reader.id) }],
    )
  })

  it('are repeated with the same ID after a failure, later each time', async () => {
    const { path, id } = await hooks.withEndpoint(['catalog.changed'])
    receiver.respond(path, 500)
    assert.ok(await sendTestEvent(service.db, id))
    const waits: number[] = []
    for (const attempt of [1, 2, 3]) {
      await hooks.attempted(id, attempt)
      const { rows } = await sql<{ seconds: number }>`
        select extract(epoch from next_attempt_at - attempted_at)::double precision as seconds
        from webhook_deliveries where endpoint_id = ${id}`.execute(service.db)
      waits.push(rows[0]?.seconds ?? 0)
      if (attempt === 3) receiver.respond(path, 200)
      await sql`update webhook_deliveries set duration_ms = null`.execute(service.db)
      await hooks.hurry()
    }
    for (const [index, wait] of waits.entries())
      assert.ok(wait >= 8 * 4.4 ** index, `${wait} s after attempt ${index + 1}`)
    await hooks.ended(id)
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
    const { path, id } = await hooks.withEndpoint(['catalog.changed'])
    receiver.respond(path, 503)
    await sendTestEvent(service.db, id)
    await hooks.attempted(id, 1)
    await sql`update webhook_deliveries set attempts = 7, next_attempt_at = now() where endpoint_id = ${id}`.execute(
      service.db,
    )
    await hooks.ended(id)
    const failed = await hooks.logOf(id)
    assert.deepEqual([failed?.status, failed?.delivered_at, failed?.attempts], [503, null, 8])
    receiver.respond(path, 200)
    assert.ok(await redeliver(service.db, id, failed?.id ?? 0))
    await eventually(
      async () => (await hooks.logOf(id))?.delivered_at != null,
      'a repeated delivery',
    )
  })

  it('stop after 410, and tell the owner', async () => {
    const { path, id, app, owner } = await hooks.withEndpoint(['catalog.changed'])
    receiver.respond(path, 410)
    await sendTestEvent(service.db, id)
    await eventually(
      async () => (await findEndpoint(service.db, app.clientId, id))?.disabled_because === 'gone',
      'a disabled endpoint',
    )
    const events = await sql`
      select from audit_events where client_id = ${app.clientId} and details ->> 'because' = 'gone'`.execute(
      service.db,
    )
    // The email is sent, and its row deleted, at any time.
    await eventually(async () => {
      const { rows } = await sql`
        select from mails
        where kind = 'webhook_disabled' and details ->> 'client_id' = ${app.clientId}`.execute(
        service.db,
      )
      return rows.length === 1 || service.logged.some((line) => line['mail'] === 'webhook_disabled')
    }, 'an email')
    assert.equal(events.rows.length, 1)
    assert.equal(await sendTestEvent(service.db, id), false)
    receiver.respond(path, 200)
    await setEndpointEnabled(service.db, owner, id, true)
    assert.ok(await sendTestEvent(service.db, id))
    await hooks.received(path, 2)
  })

  it('stop after three days of failures', async () => {
    const { path, id, app } = await hooks.withEndpoint(['catalog.changed'])
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
      await hooks.attempted(id, 1)
      const fresh = await findEndpoint(service.db, app.clientId, id)
      assert.equal(fresh?.disabled_because, null, 'after the first attempt of a delivery')
      await sql`
        update webhook_deliveries set attempts = 7, duration_ms = null, next_attempt_at = now()
        where next_attempt_at is not null`.execute(service.db)
      await hooks.attempted(id, 8)
      const endpoint = await findEndpoint(service.db, app.clientId, id)
      assert.equal(endpoint?.disabled_because, because)
    }
  })

  it('follow no redirects, and read no body', async () => {
    const { path, id } = await hooks.withEndpoint(['catalog.changed'])
    receiver.respond(path, (response) =>
      response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end(),
    )
    await sendTestEvent(service.db, id)
    await hooks.attempted(id, 1)
    assert.equal((await hooks.logOf(id))?.status, 302)
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
    await hooks.hurry()
    await hooks.ended(id)
    await closed.promise
    assert.equal((await hooks.logOf(id))?.status, 200)
  })

  it('combine changes of the catalog while a delivery is pending', async () => {
    const { path, id } = await hooks.withEndpoint(['catalog.changed'])
    receiver.respond(path, 500)
    const rename = () => sql`update people set name = name || '!' where id = 2`.execute(service.db)
    await rename()
    await hooks.attempted(id, 1)
    const latest = async () => {
      const { rows } = await sql<{ id: number }>`
        select max(id) as id from catalog_changes`.execute(service.db)
      return rows[0]?.id ?? 0
    }
    const earlier = await latest()
    await rename()
    await eventually(async () => (await latest()) > earlier, 'a second change')
    receiver.respond(path, 200)
    await hooks.hurry()
    const requests = await hooks.received(path, 3)
    const positions = requests.map(({ json }) => json.data as Record<string, number>)
    assert.deepEqual(positions[0], positions[1])
    assert.equal(positions[2]?.['since'], positions[1]?.['latest_id'])
    assert.equal(positions[2]?.['latest_id'], await latest())
  })

  it('are signed with both secrets after a rotation, until the previous one expires', async () => {
    const { path, id, secret, owner } = await hooks.withEndpoint(['catalog.changed'])
    const rotated = await rotateWebhookSecret(service.db, owner, { id, generation: '0' }, undefined)
    assert.ok('secret' in rotated)
    const { secret: next } = rotated
    await sendTestEvent(service.db, id)
    const [both] = await hooks.received(path)
    assert.ok(both)
    assert.ok((await isSignedWith(both, secret)) && (await isSignedWith(both, next)))
    await hooks.ended(id)
    await sql`update webhook_endpoints set previous_secret_expires_at = now() where id = ${id}`.execute(
      service.db,
    )
    await sendTestEvent(service.db, id)
    const [, one] = await hooks.received(path, 2)
    assert.ok(one)
    assert.ok(!(await isSignedWith(one, secret)) && (await isSignedWith(one, next)))
  })

  it('are not sent to disabled apps or apps of banned owners', async () => {
    const { path, id, app } = await hooks.withEndpoint(['catalog.changed'])
    const set = async (isAllowed: boolean) => {
      await sql`update apps set enabled = ${isAllowed} where client_id = ${app.clientId}`.execute(
        service.db,
      )
    }
    await set(false)
    await sendTestEvent(service.db, id)
    await hooks.ended(id)
    await set(true)
    await sql`update accounts set banned_at = now() where id = ${developer.id}`.execute(service.db)
    await sendTestEvent(service.db, id)
    await hooks.ended(id)
    await sql`update accounts set banned_at = null where id = ${developer.id}`.execute(service.db)
    assert.equal(receiver.at(path).length, 0)
  })
})
