import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createClient, createUser, signedInAs, type TestUser } from '#test/authorization.ts'
import { csrfTokenOf, type PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { isSignedWith, startWebhookTest, type Receiver, type WebhookTest } from '#test/webhooks.ts'
import { searchEvents } from '../audit/search-queries.ts'
import { decrypt, makeReseal } from '../kernel/encryption.ts'
import { sendTestEvent } from './delivery-queries.ts'
import {
  createEndpoint,
  deleteEndpoint,
  findEndpoint,
  resealWebhookSecrets,
  secretName,
  setEndpointEnabled,
} from './endpoint-queries.ts'
import { readEndpointUrl } from './endpoint-url.ts'
import { MAX_ENDPOINTS } from './events.ts'

describeOnDatabase('webhook endpoints', (engine) => {
  let hooks: WebhookTest
  let service: TestService
  let receiver: Receiver
  let developer: TestUser
  let browser: PlainBrowser
  before(async () => {
    hooks = await startWebhookTest(engine)
    ;({ service, receiver, developer, browser } = hooks)
  })
  after(() => hooks.close())
  // An endpoint would receive the events of later tests.
  beforeEach(() => sql`delete from webhook_endpoints`.execute(service.db))

  it('are limited to five per app and one per URL', async () => {
    const { app, owner, path } = await hooks.withEndpoint(['catalog.changed'])
    const add = (url: string) =>
      createEndpoint(service.db, owner, { url, events: ['app.revoked'] }, undefined)
    assert.deepEqual(await add(receiver.url + path), { fault: 'duplicate' })
    for (let count = 1; count < MAX_ENDPOINTS; count += 1)
      await hooks.withEndpoint(['catalog.changed'], app)
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
    const refused = await browser.press(page, '/webhooks', {
      url: 'http://10.0.0.1/hook',
      'event_app.revoked': 'yes',
    })
    assert.equal(refused.status, 422)
    const added = await browser.press(page, '/webhooks', {
      url: `${receiver.url}/console-hook`,
      'event_app.revoked': 'yes',
    })
    const [secret] = /whsec_[\w+/=]+/.exec(added.text) ?? []
    assert.ok(secret !== undefined)
    const one = /\/webhooks\/\d+/.exec((await browser.get(path)).text)?.[0] ?? ''
    const endpointPage = path.replace('/webhooks', one)
    assert.doesNotMatch((await browser.get(endpointPage)).text, /whsec_/)
    let shown = await browser.get(endpointPage)
    await browser.press(shown, '/test')
    const [request] = await hooks.received('/console-hook')
    assert.ok(request && (await isSignedWith(request, secret)))
    await hooks.ended(Number(one.split('/')[2]))
    shown = await browser.get(endpointPage)
    assert.match(shown.text, /webhook\.test/)
    const saved = await browser.press(shown, one, {
      url: `${receiver.url}/console-hook`,
      'event_catalog.changed': 'yes',
    })
    assert.match(saved.text, /Endpoint saved/)
    await browser.press(shown, '/redeliver')
    await hooks.received('/console-hook', 2)
    const rotated = await browser.press(shown, '/secret')
    assert.match(rotated.text, /whsec_/)
    // A second rotation would end the secret that the receiver still uses.
    const reloaded = await browser.press(shown, '/secret')
    assert.match(
      reloaded.text,
      /The secret was replaced after you opened this form, so nothing was changed\. If you don’t have the new secret, replace it again/,
    )
    shown = await browser.press(shown, '/enabled')
    assert.match(shown.text, /Disabled/)
    shown = await browser.press(shown, '/delete')
    assert.doesNotMatch(shown.text, /console-hook/)
    const { rows } = await sql<{ what: string }>`
      select details ->> 'webhook' as what from audit_events
      where client_id = ${app.clientId} and details ? 'webhook' order by id`.execute(service.db)
    assert.deepEqual(
      rows.map(({ what }) => what),
      ['created', 'changed', 'secret_rotated', 'disabled', 'deleted'],
    )
  })

  it('are listed at the desk, where an administrator disables them and enables them again', async () => {
    const { id: adminId, browser: desk } = await signedInAs(service, 'ADMIN')
    const { id, app, owner } = await hooks.withEndpoint(['catalog.changed'])
    const page = await desk.get('/desk/webhooks')
    const form = page.forms.find(({ action }) => action.endsWith(`/webhooks/${id}/disable`))
    assert.equal((await desk.submit(page, { note: '' }, form)).status, 422)
    const done = await desk.submit(page, { note: 'It floods others.' }, form)
    assert.match(done.text, /Disabled by the operator/)
    assert.match(done.text, /Endpoint disabled\. The developer has been notified/)
    assert.equal((await findEndpoint(service.db, app.clientId, id))?.disabled_because, 'operator')
    const path = `/console/apps/${app.clientId}/webhooks/${id}`
    const shown = await browser.get(path)
    assert.ok(!shown.forms.some(({ action }) => action.endsWith('/enabled')))
    const csrf = csrfTokenOf(shown)
    await browser.post(`${path}/enabled`, { _csrf: csrf, enabled: 'yes' })
    assert.equal((await findEndpoint(service.db, app.clientId, id))?.disabled_because, 'operator')
    assert.equal(await deleteEndpoint(service.db, owner, id), 'refused')
    const again = done.forms.find(({ action }) => action.endsWith(`/webhooks/${id}/enable`))
    assert.equal((await desk.submit(done, { note: '' }, again)).status, 422)
    const repaired = await desk.submit(done, { note: 'It was repaired.' }, again)
    assert.match(repaired.text, /Endpoint enabled\. The developer has been notified/)
    const enabled = await findEndpoint(service.db, app.clientId, id)
    assert.deepEqual([enabled?.disabled_at, enabled?.disabled_because], [null, null])
    assert.equal(await sendTestEvent(service.db, id), true)
    const events = await searchEvents(service.db, { clientId: app.clientId }, { limit: 9 })
    assert.deepEqual(
      events
        .filter(({ details }) => details['by'] === 'operator')
        .map(({ actor_id: actor, details }) => [actor, details['webhook'], details['reason']]),
      [
        [adminId, 'enabled', 'It was repaired.'],
        [adminId, 'disabled', 'It floods others.'],
      ],
    )
  })

  it('stay disabled at the desk if their owner has disabled them', async () => {
    const { browser: desk } = await signedInAs(service, 'ADMIN')
    const { id, app, owner } = await hooks.withEndpoint(['catalog.changed'])
    const form = (await desk.get('/desk/webhooks')).forms.find(({ action }) =>
      action.endsWith(`/webhooks/${id}/disable`),
    )
    assert.ok(form)
    await setEndpointEnabled(service.db, owner, id, false)
    const page = await desk.get('/desk/webhooks')
    assert.ok(!page.forms.some(({ action }) => action.includes(`/webhooks/${id}/`)))
    const enable = { ...form, action: `/desk/webhooks/${id}/enable` }
    const answer = await desk.submit(page, { note: 'Try it.' }, enable)
    assert.match(answer.text, /Nothing was changed/)
    assert.equal((await findEndpoint(service.db, app.clientId, id))?.disabled_because, 'owner')
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
    const one = await hooks.withEndpoint(['catalog.changed'])
    await sendTestEvent(service.db, one.id)
    assert.equal(await deleteEndpoint(service.db, one.owner, one.id), undefined)
    assert.equal(await count(), 0)
    const other = await hooks.withEndpoint(['catalog.changed'])
    await sendTestEvent(service.db, other.id)
    await sql`delete from apps where client_id = ${other.app.clientId}`.execute(service.db)
    assert.equal(await count(), 0)
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
