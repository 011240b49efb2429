import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { banAccount } from '../../accounts/ban-queries.ts'
import { eventually } from '#test/browser.ts'
import { skipEmbedded, describeOnDatabase } from '#test/databases.ts'
import {
  readFixture,
  deleteAllRatings,
  createImporter,
  exportRatings,
  vndbList,
  findWorkOfSource,
  type Importer,
} from '#test/list-imports.ts'
import { signIn, type AnyJson, type SignedInUser } from '#test/user-api.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { countBlocked } from '#test/blocked-connections.ts'

const APPLY = { dry_run: false }

describeOnDatabase('an import concurrent with other requests', (engine) => {
  let service: TestService
  let me: SignedInUser
  let send: Importer
  before(async () => {
    service = await shareService(engine)
    me = await signIn(service)
    send = createImporter(service, me)
  })
  after(() => service.close())
  beforeEach(() => deleteAllRatings(service, me))

  if (engine === 'server')
    it('stores hidden ratings if its user is banned while the import waits', async () => {
      const banned = await signIn(service)
      const sendBanned = createImporter(service, banned)
      let imported: Promise<AnyJson> | undefined
      await service.db.transaction().execute(async (trx) => {
        await banAccount(trx, banned.user.id, 'a test')
        imported = sendBanned(
          { source: 'vndb', ...APPLY },
          vndbList(['<vn id="v4"><vote>7</vote></vn>']),
        )
        await eventually(async () => {
          const { rows } = await sql`select from pg_locks where not granted`.execute(trx)
          return rows.length > 0
        }, 'that the import waits for the ban')
      })
      assert.equal((await imported)?.status, 200)
      const { rows } =
        await sql`select hidden from ratings where account_id = ${banned.user.id}`.execute(
          service.db,
        )
      assert.deepEqual(rows, [{ hidden: true }])
    })

  it('does not change other users’ ratings, or ratings of works that are not in the list', async () => {
    const other = await signIn(service)
    const path = `/v3/user/me/rates/galgames/${await findWorkOfSource(service, 'vndb', 'v4')}`
    await other.send('PUT', path, { rate: 1, status: 'DROPPED' })
    const before = await exportRatings(other)
    await me.send(
      'PUT',
      `/v3/user/me/rates/galgames/${await findWorkOfSource(service, 'vndb', 'v24')}`,
      { rate: 4 },
    )
    await send({ source: 'vndb', ...APPLY, overwrite: true }, await readFixture('vndb-list.xml'))
    assert.deepEqual(await exportRatings(other), before)
    const mine = await exportRatings(me)
    const rateOf = (id: string) => mine.find(({ external_ids }) => external_ids.vndb === id)?.rate
    assert.deepEqual([rateOf('v24'), rateOf('v4')], [4, 9.5])
  })

  it('keeps both its own fields and those of a concurrent PUT', async () => {
    const id = await findWorkOfSource(service, 'vndb', 'v4')
    const path = `/v3/user/me/rates/galgames/${id}`
    for (let turn = 0; turn < 12; turn += 1) {
      const music = (turn % 10) + 1
      const [imported, put] = await Promise.all([
        send(
          { source: 'vndb', ...APPLY, overwrite: true },
          vndbList([`<vn id="v4"><vote>${(turn % 9) + 1}.5</vote></vn>`]),
        ),
        me.send('PUT', path, { rate_music: music, time_to_finish_minutes: turn }),
      ])
      assert.equal(imported.status, 200, imported.message)
      assert.equal(put.status, 200)
      const { data } = await me.send('GET', path)
      assert.deepEqual(
        [data.rate, data.rate_music, data.time_to_finish_minutes],
        [(turn % 9) + 1.5, music, turn],
      )
    }
  })

  it('waits for other imports of the same user, without blocking other users', async () => {
    const other = createImporter(service, await signIn(service))
    const file = await readFixture('vndb-list.xml')
    const sendImport = () => send({ source: 'vndb', ...APPLY, overwrite: true }, file)
    const [responses, otherResponse] = await Promise.all([
      Promise.all(Array.from({ length: 5 }, sendImport)),
      other({ source: 'vndb' }, file),
    ])
    const done = responses.filter(({ status }) => status === 200)
    assert.equal(otherResponse.status, 200)
    assert.ok(done.length > 0)
    assert.equal(
      done.reduce((sum, { data }) => sum + data.counts.created, 0),
      7,
    )
    for (const { status, code, message } of responses)
      if (status !== 200)
        assert.deepEqual(
          [status, code, message],
          [
            409,
            'COMMON_CONFLICT',
            'Another import of yours is still running. Wait for its response.',
          ],
        )
    assert.equal((await sendImport()).status, 200)
  })

  const several = { skip: skipEmbedded(engine) }
  it('makes other writes by its user wait without occupying a connection', several, async () => {
    const other = await signIn(service)
    const path = `/v3/user/me/rates/galgames/${await findWorkOfSource(service, 'vndb', 'v4')}`
    let imported: Promise<AnyJson> | undefined
    let puts: Promise<AnyJson>[] = []
    await service.db.transaction().execute(async (trx) => {
      await sql`select from accounts where id = ${me.user.id} for update`.execute(trx)
      imported = send({ source: 'vndb', ...APPLY }, vndbList(['<vn id="v4"><vote>7</vote></vn>']))
      await eventually(async () => {
        const { rows } = await sql`select from pg_locks where not granted`.execute(trx)
        return rows.length > 0
      }, 'that the import waits for the user')
      puts = Array.from({ length: 6 }, (_, turn) =>
        me.send('PUT', path, { time_to_finish_minutes: turn }),
      )
      assert.equal((await other.send('GET', '/v3/user/me/rates')).status, 200)
    })
    assert.equal((await imported)?.status, 200)
    for (const { status } of await Promise.all(puts)) assert.equal(status, 200)
    assert.equal((await me.send('GET', path)).data.rate, 7)
  })

  it(
    'waits without occupying a connection while two other dry runs are planned',
    several,
    async () => {
      const users = await Promise.all(Array.from({ length: 4 }, () => signIn(service)))
      let planned: Promise<AnyJson>[] = []
      await service.db.transaction().execute(async (trx) => {
        await sql`lock table source_records in access exclusive mode`.execute(trx)
        const countPlans = () => countBlocked(trx, 'key.rank')
        planned = users.map((user) =>
          createImporter(service, user)(
            { source: 'vndb' },
            vndbList(['<vn id="v4"><vote>7</vote></vn>']),
          ),
        )
        await eventually(
          async () => (await countPlans()) >= 2,
          'that two plans wait for the catalog',
        )
        // Unless something holds them back, the other plans would be waiting too by now.
        await sleep(500)
        assert.equal(await countPlans(), 2)
      })
      for (const { status } of await Promise.all(planned)) assert.equal(status, 200)
    },
  )

  it('waits for an import in another process', async () => {
    const second = createImporter(service, me, '/api/v3/open/user/me/rates/import')
    const file = await readFixture('vndb-list.xml')
    const responses = await Promise.all([
      send({ source: 'vndb', ...APPLY, overwrite: true }, file),
      second({ source: 'vndb', ...APPLY, overwrite: true }, file),
    ])
    assert.deepEqual(
      responses.map(({ data }) => [data.counts.created, data.counts.unchanged]).toSorted(),
      [
        [0, 7],
        [7, 0],
      ],
    )
  })

  it('is atomic', async () => {
    await me.send(
      'PUT',
      `/v3/user/me/rates/galgames/${await findWorkOfSource(service, 'vndb', 'v4')}`,
      { rate: 1 },
    )
    const before = await exportRatings(me)
    await sql`
      create or replace function refuse_change() returns trigger language plpgsql as $$
      begin raise 'the disk is full'; end $$`.execute(service.db)
    await sql`create trigger refuse_change after update on ratings for each row execute function refuse_change()`.execute(
      service.db,
    )
    try {
      const file = await readFixture('vndb-list.xml')
      assert.equal((await send({ source: 'vndb', ...APPLY, overwrite: true }, file)).status, 500)
    } finally {
      await sql`drop trigger refuse_change on ratings`.execute(service.db)
    }
    assert.deepEqual(await exportRatings(me), before)
  })
})
