/** Requests that users send while an import is running. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { importRecords } from '#test/catalog.ts'
import { skipEmbedded, describeOnDatabase } from '#test/databases.ts'
import { eventually } from '#test/browser.ts'
import { signIn, type SignedInUser } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'
import { sourceRecords } from '#test/source-records.ts'
import { ADVISORY_LOCKS, holdLock } from '../db/advisory-locks.ts'
import { SIGNAL_POLL_MS } from '../db/upkeep/signals.ts'

const { galgame, sameAs } = sourceRecords

describeOnDatabase('during an import', (engine) => {
  let service: TestService
  let me: SignedInUser
  before(async () => {
    service = await startService({ engine, content: 'empty' })
    me = await signIn(service)
  })
  after(() => service.close())

  const idOf = async (source: string, externalId: string) => {
    const { rows } = await sql<{ entry_id: number }>`
      select entry_id from source_records where source = ${source} and external_id = ${externalId}`.execute(
      service.db,
    )
    return rows[0]?.entry_id ?? 0
  }

  const several = { skip: skipEmbedded(engine) }
  it('a rating of a work that is being joined waits, succeeds and is stored', several, async () => {
    await importRecords(service.db, 'vndb', [galgame('v1')])
    await importRecords(service.db, 'bangumi', [galgame('11')])
    const works = [await idOf('vndb', 'v1'), await idOf('bangumi', '11')]
    const put = (work: number, rate: number) =>
      me.send('PUT', `/v3/user/me/rates/galgames/${work}`, { rate })

    const pauseReached = Promise.withResolvers<void>()
    const resumeGate = Promise.withResolvers<void>()
    const holding = service.db.transaction().execute(async (trx) => {
      // A busy machine may take a long time to respond to both requests.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx)
      await holdLock(trx, 'searchIndex')
      pauseReached.resolve()
      await resumeGate.promise
    })
    await pauseReached.promise
    const importing = importRecords(service.db, 'bangumi', [
      galgame('11', {}, {}, sameAs('vndb', 'v1')),
    ])
    // Both works are locked now, and the import waits for the lock that this test holds.
    await eventually(async () => {
      const { rows } = await sql`
        select from pg_locks where locktype = 'advisory' and objid = ${ADVISORY_LOCKS.searchIndex} and not granted`.execute(
        service.db,
      )
      return rows.length > 0
    }, 'that the import has joined the works')
    const responses = await Promise.all(works.map((work) => put(work, 7)))
    resumeGate.resolve()
    await Promise.all([holding, importing])
    for (const { status, headers } of responses) {
      assert.equal(status, 503)
      assert.ok(Number(headers.get('retry-after')) >= 1)
    }

    const [into = 0, from = 0] = works
    assert.equal(await idOf('bangumi', '11'), into)
    assert.equal((await put(into, 8)).status, 200)
    const { status, code } = await put(from, 9)
    assert.deepEqual([status, code], [404, 'WIKI_RESOURCE_MERGED'])
    const { rows } = await sql<{
      work_id: number
      rate: number
    }>`select work_id, rate from ratings`.execute(service.db)
    assert.deepEqual(rows, [{ work_id: into, rate: 8 }])
  })

  it('a cached entry reflects a change after one polling interval', async () => {
    const token = await service.token()
    await importRecords(service.db, 'vndb', [galgame('v2', { engine: 'before' })])
    const path = `/api/v3/open/galgames/${await idOf('vndb', 'v2')}`
    const engineOf = async () => {
      const response = await service.get(path, token)
      // as: §2.1
      return ((await response.json()) as { data: { engine: string } }).data.engine
    }
    await eventually(async () => (await engineOf()) === 'before', 'that the entry is shown')
    await importRecords(service.db, 'vndb', [galgame('v2', { engine: 'after' })])
    let polls = 0
    for (; (await engineOf()) !== 'after'; polls += 1) {
      assert.ok(polls < 5, 'the change is not shown')
      await sleep(SIGNAL_POLL_MS / 2)
    }
    // Each request waits half a polling interval. On a busy machine, one of the two signals may be late.
    assert.ok(polls <= 4, `${polls} half periods`)
  })
})
