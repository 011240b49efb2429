import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { it } from 'node:test'
import { sql } from 'kysely'
import { eventually } from '#test/browser.ts'
import { onOneDatabase } from '#test/databases.ts'
import { signIn } from '#test/reader.ts'
import { startService } from '#test/service.ts'

/** Enough ratings, with texts of 9 kB, that most are unread when the client stops reading. */
const RATINGS = 4_000

onOneDatabase('an export whose database fails half-way', (engine) => {
  it('is cut off, which the log says', async () => {
    const service = await startService({ engine })
    try {
      const { token, reader } = await signIn(service)
      await sql`
        insert into works (id, kind)
        select id, 'light_novel' from generate_series(1000001, 1000000 + ${RATINGS}::bigint) id`.execute(
        service.db,
      )
      await sql`
        insert into ratings (account_id, work_id, kind, rate_content, updated_at)
        select ${reader.id}, id, kind, repeat('読', 3000), now() from works where id > 1000000`.execute(
        service.db,
      )
      const answers = await Promise.all(
        ['json', 'csv'].map(async (format) => {
          const request = get(`${service.url}/v3/user/me/rates/export?format=${format}`, {
            headers: { authorization: `Bearer ${token}` },
          })
          // as: the event's argument
          const [answer] = (await once(request, 'response')) as [IncomingMessage]
          return answer
        }),
      )
      assert.deepEqual(
        answers.map(({ statusCode }) => statusCode),
        [200, 200],
      )
      await sql`alter table ratings rename to lost_ratings`.execute(service.db)
      for (const answer of answers) await assert.rejects(answer.toArray(), { code: 'ECONNRESET' })
      const cutOff = () =>
        service.logged.filter(({ msg }) => msg === 'An answer was cut off half-way')
      await eventually(async () => cutOff().length === 2, 'a line for each')
      assert.deepEqual(
        new Set(cutOff().map(({ path }) => path)),
        new Set(['/v3/user/me/rates/export']),
      )
    } finally {
      await service.close()
    }
  })
})
