import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { importRecords } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { sendApiRequest } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'
import { sourceRecords } from '#test/source-records.ts'

const { galgame } = sourceRecords

describeOnDatabase('GET attribution', (engine) => {
  let service: TestService
  before(async () => {
    service = await startService({ engine, content: 'empty' })
  })
  after(() => service.close())

  const get = (headers: Record<string, string> = {}, prefix = '/api/v3/open') =>
    sendApiRequest(service.url, { path: `${prefix}/attribution`, headers })

  it('lists loaded sources with license, notice and dump date, without a token', async () => {
    assert.deepEqual((await get()).data, { sources: [] })
    const dump = { name: 'vndb-db-2026-11-18.tar.zst', date: '2026-11-18', sha256: undefined }
    await importRecords(service.db, 'vndb', [galgame('v1')], { dump })
    await importRecords(service.db, 'bangumi', [galgame('1')])
    const { status, data, headers } = await get()
    assert.equal(status, 200)
    const [vndb, bangumi] = data.sources
    assert.deepEqual(
      { ...vndb, imported_at: typeof vndb.imported_at },
      {
        source: 'vndb',
        name: 'VNDB',
        url: 'https://vndb.org',
        licences: [
          { name: 'ODbL-1.0', url: 'https://opendatacommons.org/licenses/odbl/1-0/' },
          { name: 'DbCL-1.0', url: 'https://opendatacommons.org/licenses/dbcl/1-0/' },
        ],
        notice: vndb.notice,
        dump_date: '2026-11-18',
        imported_at: 'string',
      },
    )
    assert.match(
      vndb.notice,
      /^Contains information from VNDB \(https:\/\/vndb\.org\), .* ODbL with this notice\.$/,
    )
    assert.deepEqual([bangumi.source, bangumi.dump_date, data.sources.length], ['bangumi', null, 2])
    assert.equal((await get({ 'if-none-match': headers.get('etag') ?? '' })).status, 304)
    assert.deepEqual((await get({}, '/v3')).data, data)
  })

  it('shows the same last completed import as the readiness response, and omits sources without records', async () => {
    await sql`insert into import_runs (source, dump_date, outcome, ended_at) values ('vndb', '2026-11-25', 'failed', now())`.execute(
      service.db,
    )
    const { sources } = (await get()).data
    assert.equal(sources[0].dump_date, '2026-11-18')
    assert.deepEqual((await sendApiRequest(service.url, { path: '/health/ready' })).data, {
      status: 'ok',
      imported_at: Object.fromEntries(
        sources.map(({ source, imported_at }: Record<'source' | 'imported_at', string>) => [
          source,
          imported_at,
        ]),
      ),
    })
    await importRecords(service.db, 'bangumi', [], { isWhole: () => true })
    assert.deepEqual(
      (await get()).data.sources.map(({ source }: { source: string }) => source),
      ['vndb'],
    )
  })
})
