import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnDatabase } from '#test/databases.ts'
import { APPS_PATH, createDeveloper, APP_OPERATIONS, type Developer } from '#test/developer.ts'
import { startService, type TestService } from '#test/service.ts'
import { COMMAND_LINE_CLIENT_ID, CONSOLE_CLIENT_ID } from './operator/first-party.ts'
import { createApp, listApps } from './queries.ts'

import type { DeveloperApp } from './schemas.ts'
import { hashToken } from '../kernel/opaque-tokens.ts'

const SECRET = /^mks_[\w-]{43}$/
const LOGGED = { ACCESS_LOG: 'log', LOG_LEVEL: 'debug' }
describeOnDatabase('developer apps', (engine) => {
  let service: TestService
  let developer: Developer
  let other: Developer
  before(async () => {
    service = await startService({ engine, content: 'empty', environment: LOGGED })
    developer = await createDeveloper(service)
    other = await createDeveloper(service, 'Other')
  })
  after(() => service.close())

  const rowOf = (clientId: string) =>
    service.db.selectFrom('apps').selectAll().where('client_id', '=', clientId).executeTakeFirst()

  describe('belonging to the developer', () => {
    it('are created from a name alone, and returned with every field of §2.11 and decision 0012', async () => {
      const { status, headers, data, text } = await developer.send('POST', '', {
        client_name: '  My app ',
      })
      assert.equal(status, 201)
      const { client_id, client_secret, created_at } = data
      assert.match(client_id, /^mk_[\w-]{16}$/)
      assert.match(client_secret ?? '', SECRET)
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      const expected = {
        client_id,
        client_name: 'My app',
        scope: null,
        client_uri: null,
        logo: null,
        redirect_uris: [],
        enabled: true,
        created_at,
        client_type: 'confidential',
        application_type: 'web',
        token_endpoint_auth_method: 'client_secret_basic',
        grant_types: ['client_credentials'],
        backchannel_logout_uri: null,
        backchannel_logout_session_required: false,
      }
      assert.deepEqual(data, { ...expected, client_secret })
      assert.equal(headers.get('location'), `${APPS_PATH}/${client_id}`)
      assert.equal(headers.get('cache-control'), 'no-store')
      // as: the success envelope of §2.1
      const envelope = JSON.parse(text) as Record<string, unknown>
      assert.deepEqual(Object.keys(envelope), ['success', 'data', 'request_id', 'timestamp'])
      assert.equal(envelope['request_id'], headers.get('x-request-id'))
      const found = await developer.send('GET', `/${client_id}`)
      assert.deepEqual([found.status, found.data], [200, expected])
    })

    it('are created with every field that can be sent', async () => {
      const body = {
        client_name: 'アプリ',
        enabled: false,
        scopes: ['catalog:read', 'status:write'],
        client_uri: 'https://example.org/',
        logo: 'https://example.org/logo.svg?v=2',
        redirect_uris: ['https://example.org/callback', 'my-app://callback'],
        client_type: 'public',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        backchannel_logout_uri: 'https://example.org/signed-out?app=1',
        backchannel_logout_session_required: true,
      }
      const { scopes, ...settings } = body
      const { client_id, created_at, ...data } = await developer.create(body)
      assert.ok(client_id && created_at)
      assert.deepEqual(data, { ...settings, scope: scopes.join(' '), client_secret: null })
    })

    it('are listed oldest first, without other users’ apps and without secrets', async () => {
      const developer = await createDeveloper(service)
      assert.deepEqual((await developer.send<DeveloperApp[]>('GET')).data, [])
      const created = [await developer.create({ client_name: 'One' }), await developer.create()]
      const { status, data } = await developer.send<DeveloperApp[]>('GET')
      assert.equal(status, 200)
      assert.deepEqual(
        data,
        created.map(({ client_secret: _secret, ...app }) => app),
      )
    })

    it('are listed in order of creation, even within one millisecond', async () => {
      const atOnce = await service.db.transaction().execute(async (trx) => {
        const created: string[] = []
        for (let index = 0; index < 8; index += 1)
          created.push((await createApp(trx, { clientName: 'Quick', scopes: [] })).app.client_id)
        return created
      })
      const all = (await listApps(service.db)).map(({ client_id }) => client_id)
      assert.deepEqual(
        all.filter((clientId) => atOnce.includes(clientId)),
        atOnce,
      )
      const developer = await createDeveloper(service)
      const older = await developer.create()
      // Simulates a clock that is half a second fast.
      await sql`
        update apps set created_at = now() + interval '500 milliseconds' where client_id = ${older.client_id}
      `.execute(service.db)
      const younger = await developer.create()
      const { data } = await developer.send<DeveloperApp[]>('GET')
      assert.deepEqual(
        data.map(({ client_id }) => client_id),
        [older.client_id, younger.client_id],
      )
      assert.ok((data[0]?.created_at ?? '') < younger.created_at)
    })

    it('keep the fields that a PATCH omits, and are returned without their secret', async () => {
      const { client_secret: _, ...app } = await developer.create({ scopes: ['catalog:read'] })
      const changes: [object, Partial<DeveloperApp>][] = [
        [{ client_name: ' New ' }, { client_name: 'New' }],
        [{ scopes: ['catalog:full'] }, { scope: 'catalog:full' }],
        [{ scopes: [] }, { scope: null }],
        [{ client_uri: 'https://example.org' }, { client_uri: 'https://example.org' }],
        [{ client_uri: null }, { client_uri: null }],
        [{ logo: 'https://example.org/a.png' }, { logo: 'https://example.org/a.png' }],
        [{ logo: null }, { logo: null }],
        [{ application_type: 'native' }, { application_type: 'native' }],
        [{ enabled: false }, { enabled: false }],
        [{ enabled: true }, { enabled: true }],
        [{}, {}],
      ]
      let expected: DeveloperApp = app
      for (const [body, change] of changes) {
        expected = { ...expected, ...change }
        const { status, data, text } = await developer.send('PATCH', `/${app.client_id}`, body)
        assert.equal(status, 200, text)
        assert.deepEqual(data, { ...expected, client_secret: null })
        assert.deepEqual((await developer.send('GET', `/${app.client_id}`)).data, expected)
      }
    })

    it('are deleted with an empty 204', async () => {
      const { client_id } = await developer.create()
      assert.equal((await developer.send('DELETE', `/${client_id}`)).status, 204)
      for (const [method, rest, body] of APP_OPERATIONS) {
        const { status, code } = await developer.send(method, `/${client_id}${rest}`, body)
        assert.deepEqual([status, code], [404, 'COMMON_NOT_FOUND'], `${method} ${rest}`)
      }
    })

    it('are recorded in the audit log of their owner, without secrets', async () => {
      const developer = await createDeveloper(service)
      const { client_id } = await developer.create()
      await developer.send('PATCH', `/${client_id}`, { enabled: false, client_name: 'New' })
      await developer.send('POST', `/${client_id}/secret`)
      await developer.send('DELETE', `/${client_id}`)
      const events = await service.db
        .selectFrom('audit_events')
        .select(['kind', 'details'])
        .where('client_id', '=', client_id)
        .where('account_id', '=', developer.user.id)
        .orderBy('id')
        .execute()
      assert.deepEqual(events, [
        { kind: 'app_created', details: { client_name: 'An app' } },
        {
          kind: 'app_changed',
          details: { client_name: 'New', changed: ['enabled', 'client_name'] },
        },
        { kind: 'app_changed', details: { client_name: 'New', changed: ['client_secret'] } },
        { kind: 'app_deleted', details: { client_name: 'New' } },
      ])
    })
  })

  describe('belonging to another developer', () => {
    it('result in 404 for every operation, and stay unchanged', async () => {
      const { client_id } = await developer.create()
      const before = await rowOf(client_id)
      for (const [method, rest, body] of APP_OPERATIONS) {
        const { status, code } = await other.send(method, `/${client_id}${rest}`, body)
        assert.deepEqual([status, code], [404, 'COMMON_NOT_FOUND'], `${method} ${rest}`)
      }
      assert.deepEqual(await rowOf(client_id), before)
      const bad = await other.send('PATCH', `/${client_id}`, { client_name: '' })
      assert.equal(bad.status, 404, 'a fault in the body tells nothing of whose it is')
    })

    it('result in 404 if they belong to the operator, such as the console', async () => {
      for (const clientId of [CONSOLE_CLIENT_ID, COMMAND_LINE_CLIENT_ID])
        for (const [method, rest, body] of APP_OPERATIONS)
          assert.equal((await developer.send(method, `/${clientId}${rest}`, body)).status, 404)
      assert.ok(await rowOf(CONSOLE_CLIENT_ID))
    })

    it('result in 404, never a server error, for arbitrary ids in the path', async () => {
      const odd = [
        'mk_nobody',
        '%00',
        '%20',
        "'%20or%20''='",
        '%F0%9F%98%80',
        '..%2F..',
        '-1',
        '__proto__',
      ]
      for (const id of [...odd, 'x'.repeat(65), 'x'.repeat(5_000)])
        for (const [method, rest, body] of APP_OPERATIONS) {
          const { status, code } = await developer.send(method, `/${id}${rest}`, body)
          assert.deepEqual(
            [status, code],
            [404, 'COMMON_NOT_FOUND'],
            `${method} ${id.slice(0, 70)}${rest}`,
          )
        }
      assert.equal((await developer.send('GET', '/%E0%A4%A')).status, 400)
    })
  })

  describe('with a secret', () => {
    it('have it stored as a hash, and returned only at creation, at rotation and when they become confidential', async () => {
      const app = await developer.create()
      const first = app.client_secret ?? ''
      const rotated = await developer.send('POST', `/${app.client_id}/secret`)
      const second = rotated.data.client_secret ?? ''
      assert.equal(rotated.status, 200)
      assert.match(second, SECRET)
      assert.notEqual(second, first)
      assert.deepEqual(rotated.data, { ...app, client_secret: second })

      const toPublic = await developer.send('PATCH', `/${app.client_id}`, { client_type: 'public' })
      assert.equal((await rowOf(app.client_id))?.secret_hash, null)
      const conflict = await developer.send('POST', `/${app.client_id}/secret`)
      assert.deepEqual([conflict.status, conflict.code], [409, 'COMMON_CONFLICT'])
      const back = await developer.send('PATCH', `/${app.client_id}`, {
        client_type: 'confidential',
      })
      const third = back.data.client_secret ?? ''
      assert.match(third, SECRET)
      assert.equal(new Set([first, second, third]).size, 3)
      assert.equal((await rowOf(app.client_id))?.secret_hash, hashToken(third))
      const publicApp = await developer.send('POST', '', {
        client_name: 'x',
        client_type: 'public',
      })

      const silent = [
        toPublic,
        publicApp,
        await developer.send('PATCH', `/${app.client_id}`, {
          client_type: 'confidential',
          enabled: true,
        }),
        await developer.send('PATCH', `/${app.client_id}`, {
          token_endpoint_auth_method: 'client_secret_post',
        }),
        await developer.send('GET', `/${app.client_id}`),
        await developer.send('GET'),
        await developer.send('GET', `/${app.client_id}/usage`),
      ]
      for (const { text } of silent) assert.doesNotMatch(text, /mks_|client_secret":"|secret_hash/)

      const { rows } = await sql<{ text: string }>`
        select (select jsonb_agg(to_jsonb(app)) from apps app)::text || (select jsonb_agg(to_jsonb(event)) from audit_events event)::text as text
      `.execute(service.db)
      const log = JSON.stringify(service.logged)
      assert.ok(log.includes(app.client_id), 'requests are logged')
      for (const secret of [first, second, third])
        assert.ok(
          !rows[0]?.text.includes(secret) &&
            !log.includes(secret) &&
            !log.includes(hashToken(secret)),
        )
      assert.ok(!log.includes(developer.token))
    })
  })
})
