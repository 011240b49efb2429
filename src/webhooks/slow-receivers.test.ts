import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { createUser } from '#test/authorization.ts'
import { eventually } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { startWebhookTest, type WebhookTest } from '#test/webhooks.ts'
import { fetchForApps } from '../outbound/fetch-for-apps.ts'
import { startWebhookSender } from './webhook-sender.ts'

describeOnDatabase('a receiver that does not respond', (engine) => {
  let hooks: WebhookTest
  before(async () => {
    // The tests start the sender themselves, because they change its timeout.
    hooks = await startWebhookTest(engine, { WEBHOOKS: 'off' })
  })
  after(() => hooks.close())

  const startSender = (timeoutMs: number) =>
    startWebhookSender({
      db: hooks.service.db,
      log: pino({ level: 'silent' }),
      send: fetchForApps(hooks.service.url),
      isLocal: true,
      secretKey: undefined,
      now: Date.now,
      timeoutMs,
    })
  const add = (id: number, count: number) =>
    sql`
      insert into webhook_deliveries (endpoint_id, event, data)
      select ${id}, 'webhook.test', '{}' from generate_series(1, ${count})`.execute(
      hooks.service.db,
    )
  /** Counts the failed and the pending deliveries to an endpoint. */
  async function countOf(id: number) {
    const { rows } = await sql<{ failed: number; pending: number }>`
      select
        count(*) filter (where attempts > 1 or error is not null)::integer as failed,
        count(*) filter (where next_attempt_at is not null)::integer as pending
      from webhook_deliveries where endpoint_id = ${id}`.execute(hooks.service.db)
    return rows[0] ?? { failed: 0, pending: 0 }
  }

  it('delays no other endpoint, of the same developer or another one', async () => {
    const { receiver } = hooks
    const stuck = await hooks.withEndpoint(['app.revoked'])
    const held: ServerResponse[] = []
    receiver.respond(stuck.path, (response) => held.push(response))
    const stranger = await createUser(hooks.service)
    const others = [
      await hooks.withEndpoint(['app.revoked'], stuck.app),
      await hooks.withEndpoint(['app.revoked']),
      await hooks.withEndpoint(['app.revoked'], undefined, stranger.id),
    ]
    // More than a process sends at once.
    await add(stuck.id, 40)
    for (const { id } of others) await add(id, 5)
    // Requests in this test end only when the receiver ends them.
    const sender = startSender(600_000)
    try {
      await eventually(async () => held.length === 2, 'two requests that wait')
      for (const { path } of others)
        await eventually(async () => receiver.at(path).length === 5, `all deliveries to ${path}`)
      assert.equal(held.length, 2)
      receiver.respond(stuck.path, 204)
      for (const response of held) response.destroy()
      // The two requests fail, which frees their slots for the other deliveries.
      await eventually(async () => (await countOf(stuck.id)).failed === 2, 'two failures')
      await sql`
        update webhook_deliveries set next_attempt_at = now()
        where endpoint_id = ${stuck.id} and error is not null and attempts = 1`.execute(
        hooks.service.db,
      )
      await eventually(async () => (await countOf(stuck.id)).pending === 0, 'every delivery')
    } finally {
      for (const response of held) response.destroy()
      await sender.stop()
    }
    const ids = receiver.at(stuck.path).map(({ headers }) => headers['webhook-id'])
    assert.deepEqual([ids.length, new Set(ids).size], [42, 40])
  })

  it('receives the delivery again after the timeout', async () => {
    const { receiver } = hooks
    const { id, path } = await hooks.withEndpoint(['app.revoked'])
    receiver.respond(path, () => {})
    await add(id, 1)
    const impatient = startSender(300)
    await eventually(async () => !!(await hooks.logOf(id))?.error, 'a failure').finally(() =>
      impatient.stop(),
    )
    const { error, next_attempt_at: next, status } = (await hooks.logOf(id)) ?? {}
    assert.deepEqual([error, status], ['No response within 0.3 seconds', null])
    assert.ok(next)
    receiver.respond(path, 204)
    await hooks.hurry()
    const sender = startSender(600_000)
    await hooks.ended(id).finally(() => sender.stop())
    assert.ok((await hooks.logOf(id))?.delivered_at)
    const ids = receiver.at(path).map(({ headers }) => headers['webhook-id'])
    assert.ok(ids.length > 1)
    assert.equal(new Set(ids).size, 1)
  })
})
