import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { inLongTransaction } from '../../db/server/long-transaction.ts'
import { eventually } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { signIn } from '#test/user-api.ts'
import { startService } from '#test/service.ts'
import { statementsOf } from '#test/statements.ts'

/** Number of ratings, each with 9 kB of text. Most are still unread when the client stops reading. */
const RATINGS = 4_000

/** Number of statements that would read all of the ratings. */
const BATCHES = RATINGS / 500 + 1

describeOnDatabase('an export that loses its database', (engine) => {
  it('is read only as fast as the client receives it, and is aborted with a log entry', async (t) => {
    const service = await startService({ engine })
    try {
      const { token, user } = await signIn(service)
      await inLongTransaction(service.db, Infinity, async (trx) => {
        await sql`
        with created as (
          insert into works (id, kind)
          select id, 'light_novel' from generate_series(1000001, 1000000 + ${RATINGS}::bigint) id
          returning id, kind
        ), named as (
          insert into light_novels (id, name) select id, 'work ' || id from created
        )
        insert into work_refs (id, kind) select id, kind from created`.execute(trx)
        await sql`
        insert into ratings (account_id, work_id, kind, rate_content, updated_at)
        select ${user.id}, id, kind, repeat('読', 3000), now() from works where id > 1000000`.execute(
          trx,
        )
      })
      const responses: IncomingMessage[] = []
      for (const format of ['json', 'csv']) {
        const sent = await statementsOf(async () => {
          const request = get(`${service.url}/v3/user/me/rates/export?format=${format}`, {
            headers: { authorization: `Bearer ${token}` },
          })
          // as: the event's argument
          const [response] = (await once(request, 'response')) as [IncomingMessage]
          responses.push(response)
          // Without backpressure, this would be enough time to read everything.
          await sleep(1_500)
        })
        const read = sent.filter(({ sql: text }) => text.includes('rating.work_id > $2')).length
        t.diagnostic(`${format}: ${read} of ${BATCHES} batches`)
        assert.ok(read >= 1 && read < BATCHES - 2, `${read} of ${BATCHES} batches were read`)
      }
      assert.deepEqual(
        responses.map(({ statusCode }) => statusCode),
        [200, 200],
      )
      await sql`alter table ratings rename to lost_ratings`.execute(service.db)
      for (const response of responses)
        await assert.rejects(response.toArray(), { code: 'ECONNRESET' })
      const cutOff = () => service.logged.filter(({ msg }) => msg === 'A response was cut off')
      await eventually(async () => cutOff().length === 2, 'a log line for each')
      assert.deepEqual(
        new Set(cutOff().map(({ path }) => path)),
        new Set(['/v3/user/me/rates/export']),
      )
    } finally {
      await service.close()
    }
  })
})
