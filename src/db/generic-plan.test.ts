import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { createCollectionOwner } from '#test/collections.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { ENTRY_KINDS, KINDS, WORK_KINDS } from '../catalog/kinds.ts'
import { WORK_LISTS } from '../catalog/lists/work-lists.ts'
import { statementNameOf } from './statement.ts'

/** Number of executions that PostgreSQL plans for their values before it considers a generic plan. */
const CUSTOM_PLANS = 5

describeOnDatabase('a statement for single entries', (engine) => {
  let service: TestService
  before(async () => {
    service = await startService({
      engine,
      environment: { CATALOG_CACHE_MIB: '0', DATABASE_POOL_SIZE: '1' },
    })
  })
  after(() => service.close())

  const paths = [
    ...ENTRY_KINDS.map((kind) => `/v3/${KINDS[kind].path}/{id}`),
    ...WORK_KINDS.flatMap((kind) => {
      const path = `/v3/${KINDS[kind].path}/{id}`
      return [`${path}?include=${Object.keys(WORK_LISTS[kind])[0]}`, `${path}/similar`]
    }),
    '/v3/lookup?source=vndb&id=v{id}',
    '/reviews?page={id}',
  ]

  it('is planned once per connection, not for each value', async () => {
    const token = await service.token('catalog:full')
    for (const path of paths)
      for (let id = 1; id <= CUSTOM_PLANS + 2; id += 1)
        await service.get(path.replace('{id}', String(id)), token, { accept: 'text/html' })
    const { rows: characters } = await sql<{ name: string }>`
      select name from characters order by id limit ${CUSTOM_PLANS + 2}`.execute(service.db)
    const owner = await createCollectionOwner(service)
    await owner.put('default', 'galgames/1')
    for (const { name } of characters) {
      await service.get(`/search?q=${encodeURIComponent(name)}`, undefined, { accept: 'text/html' })
      await owner.send('GET', '/default/items')
    }
    const { rows } = await sql<{ statement: string }>`
      select statement from pg_prepared_statements where generic_plans > 0`.execute(service.db)
    const planned = new Set(rows.map(({ statement }) => statementNameOf(statement)))
    const expected = [
      ...ENTRY_KINDS.map((kind) => `catalog.${kind}`),
      ...WORK_KINDS.map((kind) => `catalog.${kind}_with_parts`),
      'browse.lookup_by_site',
      'collections.shown_works',
      'ratings.list_review_authors',
      'search.show',
      'search.top_works',
      'similar.similar',
    ]
    assert.deepEqual(
      expected.filter((name) => !planned.has(name)),
      [],
    )
  })
})
