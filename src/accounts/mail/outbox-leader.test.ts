import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { eventually } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { pino } from 'pino'
import { enqueueMail } from './outbox/outbox.ts'
import { startOutboxSender } from './outbox/outbox-sender.ts'

describeOnDatabase('the outbox of a service with several workers', (engine) => {
  let database: OpenTestDatabase
  before(async () => (database = await openTestDatabase(engine)))
  after(() => database.remove())

  it('is polled by the leader, and by a worker that has just added an email', async () => {
    const { db } = database
    const sent: string[] = []
    const election = Promise.withResolvers<void>()
    const sender = startOutboxSender({
      db,
      authUrl: 'https://id.example.org',
      log: pino({ level: 'silent' }),
      elected: election.promise,
      transport: { send: async ({ email }) => void sent.push(email), close: () => {} },
    })
    const add = (email: string) =>
      enqueueMail(db, { email, kind: 'password_changed', language: 'en', details: {} })
    try {
      await add('one@example.org')
      sender.wake()
      await eventually(async () => sent.length === 1, 'the first mail')
      await add('two@example.org')
      election.resolve()
      await eventually(async () => sent.length === 2, 'the second mail')
      assert.deepEqual(sent, ['one@example.org', 'two@example.org'])
    } finally {
      await sender.stop()
    }
  })
})
