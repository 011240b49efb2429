import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { importRecords } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { numberAllChanges, FeedFollower, formatChange } from '#test/change-feed.ts'
import { startService, type TestService } from '#test/service.ts'
import { signal } from '../db/upkeep/signals.ts'
import type { RecordKind } from '../sources/records/record-kinds.ts'
import type { SourceRecord } from '../sources/records/record.ts'

const named = (kind: 'person' | 'producer' | 'character', external_id: string): SourceRecord => ({
  kind,
  external_id,
  fields: { name: `${kind} ${external_id}` },
})
const galgame = (external_id: string, developers: string[], more: Partial<SourceRecord> = {}) =>
  // as: only properties that every kind allows are added
  ({
    kind: 'galgame',
    external_id,
    fields: { origin_title: `galgame ${external_id}` },
    links: { producers: developers.map((ref) => ({ ref, role: 'DEVELOPER' as const })) },
    ...more,
  }) as SourceRecord

const OF_VNDB: SourceRecord[] = [
  named('producer', 'p24'),
  named('producer', 'p5'),
  named('person', 's81'),
  named('character', 'c7'),
  galgame('v17', ['p24', 'p5'], { same_as: [{ source: 'bangumi', external_id: '13' }] }),
]
const OF_BANGUMI: SourceRecord[] = [
  named('person', 'name:somebody'),
  named('person', '9'),
  { kind: 'light_novel', external_id: '300', fields: { name: 'novel' } },
  { kind: 'manga', external_id: '400', fields: { name: 'manga' } },
]

describeOnDatabase('fields derived from other tables', (engine) => {
  let service: TestService
  let token: string
  let follower: FeedFollower

  before(async () => {
    service = await startService({ engine, content: 'empty' })
    token = await service.token('catalog:read')
    await importRecords(service.db, 'vndb', OF_VNDB)
    await importRecords(service.db, 'bangumi', OF_BANGUMI)
    follower = new FeedFollower(await service.token('catalog:sync'))
    await changes()
  })
  after(() => service.close())

  async function changes(): Promise<string[]> {
    await numberAllChanges(service.db)
    return (await follower.read(service.url, 400)).map((item) => formatChange(item).toLowerCase())
  }

  async function idOf(kind: RecordKind, external_id: string): Promise<number> {
    const { rows } = await sql<{ entry_id: number }>`
      select entry_id from source_records where kind = ${kind} and external_id = ${external_id}`.execute(
      service.db,
    )
    assert.ok(rows[0], `${kind} ${external_id}`)
    return rows[0].entry_id
  }

  async function detail(path: string, id: number): Promise<Record<string, unknown>> {
    const response = await service.get(`/v3/${path}/${id}`, token)
    // as: the envelope of §2.1
    return ((await response.json()) as { data: Record<string, unknown> }).data
  }

  /** Polls the galgame until the condition holds. The previous response may stay cached for a second. */
  async function galgameWhen(isReady: (data: Record<string, unknown>) => boolean) {
    const id = await idOf('galgame', 'v17')
    const deadline = Date.now() + 10_000
    for (;;) {
      const data = await detail('galgames', id)
      if (isReady(data)) return data
      assert.ok(Date.now() < deadline, 'the old response is still cached')
    }
  }

  it('include ids at other sites, even with only catalog:read', async () => {
    const game = await detail('galgames', await idOf('galgame', 'v17'))
    assert.deepEqual(
      [game['vndb_id'], game['bangumi_game_id']],
      [17, 13],
      'the Bangumi id that VNDB states',
    )
    for (const [path, kind, external_id, vndb_id, bangumi_id] of [
      ['producers', 'producer', 'p24', 'p24', null],
      ['people', 'person', 's81', 's81', null],
      ['people', 'person', '9', null, '9'],
      ['people', 'person', 'name:somebody', null, null],
      ['characters', 'character', 'c7', 'c7', null],
    ] as const) {
      const data = await detail(path, await idOf(kind, external_id))
      assert.deepEqual([data['vndb_id'], data['bangumi_id']], [vndb_id, bangumi_id], external_id)
    }
    for (const [path, kind, external_id] of [
      ['light-novels', 'light_novel', '300'],
      ['mangas', 'manga', '400'],
    ] as const) {
      const data = await detail(path, await idOf(kind, external_id))
      assert.deepEqual([data['bangumi_id'], data['ranobedb_id']], [Number(external_id), null])
    }
  })

  it('include an id stated by another source, unless it is ambiguous', async () => {
    const stating = (external_id: string, ...ids: string[]) => ({
      ...galgame(external_id, []),
      same_as: ids.map((id) => ({ source: 'bangumi' as const, external_id: id })),
    })
    await importRecords(service.db, 'vndb', [
      stating('v21', '21'),
      stating('v22', '22', '23'),
      stating('v24', '24'),
      stating('v25', '24'),
      stating('v26', '26a'),
      stating('v27', '27'),
    ])
    // This id belongs to another entry's own record, which takes precedence over stated ids.
    await sql`
      insert into source_records (source, kind, external_id, entry_id, fields)
      values ('bangumi', 'galgame', '27', ${await idOf('galgame', 'v26')}, '{}')`.execute(
      service.db,
    )
    const shown = async (external_id: string) => {
      const data = await detail('galgames', await idOf('galgame', external_id))
      return [data['vndb_id'], data['bangumi_game_id']]
    }
    assert.deepEqual(await shown('v21'), [21, 21])
    assert.deepEqual(await shown('v22'), [22, null], 'two ids are stated')
    assert.deepEqual(await shown('v24'), [24, null], 'stated for two entries')
    assert.deepEqual(await shown('v25'), [25, null])
    assert.deepEqual(
      await shown('v26'),
      [26, 27],
      'its own record counts, and a text that is not a number is ignored',
    )
    assert.deepEqual(await shown('v27'), [27, null], 'another entry has the id')
    await changes()
  })

  it('include an id added by another source, and the change feed reports it', async () => {
    const id = await idOf('galgame', 'v17')
    await detail('galgames', id)
    // This record adds nothing to what VNDB states, so the entry's row does not change.
    await importRecords(service.db, 'bangumi', [
      galgame('13', [], { fields: { origin_title: 'galgame v17' } }),
    ])
    assert.equal(
      (await galgameWhen((data) => data['bangumi_game_id'] !== null))['bangumi_game_id'],
      13,
    )
    assert.deepEqual(await changes(), [`upsert galgame ${id}`])
    const { rows } = await sql`select from works where id = ${id} and revised_at is null`.execute(
      service.db,
    )
    assert.equal(rows.length, 1)
  })

  it('use the lowest number if an entry has several ids at one site', async () => {
    const id = await idOf('galgame', 'v17')
    await service.db.transaction().execute(async (trx) => {
      await sql`
        insert into source_records (source, kind, external_id, entry_id, fields)
        select 'vndb', 'galgame', ids, ${id}, '{}' from unnest(array['v9', 'v100', 'w1']) ids`.execute(
        trx,
      )
      await signal(trx, 'catalog')
    })
    assert.equal((await galgameWhen((data) => data['vndb_id'] !== 17))['vndb_id'], 9)
    assert.deepEqual(await changes(), [`upsert galgame ${id}`])
    await sql`delete from source_records where external_id in ('v9', 'v100', 'w1')`.execute(
      service.db,
    )
    assert.deepEqual(await changes(), [`upsert galgame ${id}`])
  })

  it('include the name of the first developer, and are updated when the developer is renamed', async () => {
    const id = await idOf('galgame', 'v17')
    assert.equal((await detail('galgames', id))['developer'], 'producer p24')
    await importRecords(service.db, 'vndb', [
      { kind: 'producer', external_id: 'p24', fields: { name: 'Key' } },
    ])
    await galgameWhen((data) => data['developer'] === 'Key')
    assert.deepEqual((await changes()).toSorted(), [
      `upsert galgame ${id}`,
      `upsert producer ${await idOf('producer', 'p24')}`,
    ])
  })

  it('cause no further changes when the same records are imported again', async () => {
    await importRecords(service.db, 'bangumi', [
      ...OF_BANGUMI,
      galgame('13', [], { fields: { origin_title: 'galgame v17' } }),
    ])
    assert.deepEqual(await changes(), [])
  })
})
