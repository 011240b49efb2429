import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { ENTRY_KINDS, KINDS, WORK_KINDS } from '../catalog/kinds.ts'
import { WORK_LISTS } from '../catalog/lists/work-lists.ts'
import { statementNameOf } from './statement.ts'

/** PostgreSQL plans a prepared statement for its values five times before it considers a plan for all values. */
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
      const lists = Object.keys(WORK_LISTS[kind])
      return [
        ...lists.map((list) => `${path}/${list}`),
        ...lists.map((list) => `${path}?include=${list}`),
        `${path}/similar`,
        `${path}/rates/statistics`,
      ]
    }),
    '/v3/lookup?source=vndb&id=v{id}',
  ]

  it('is planned once per connection, not for each value', async () => {
    const token = await service.token('catalog:full')
    for (const path of paths)
      for (let id = 1; id <= CUSTOM_PLANS + 2; id += 1)
        await service.get(path.replace('{id}', String(id)), token)
    const { rows } = await sql<{ statement: string; is_generic: boolean }>`
      select statement, generic_plans > 0 as is_generic from pg_prepared_statements
      where custom_plans + generic_plans > ${CUSTOM_PLANS}`.execute(service.db)
    const repeated = rows
      .map((row) => ({ ...row, name: statementNameOf(row.statement) ?? '' }))
      .filter(({ name }) => /^(?:catalog|browse|similar|ratings)\./.test(name))
    assert.deepEqual(
      repeated.filter((row) => !row.is_generic).map(({ name }) => name),
      [],
    )
    const names = new Set(repeated.map(({ name }) => name))
    for (const kind of ENTRY_KINDS) assert.ok(names.has(`catalog.${kind}`), kind)
    for (const kind of WORK_KINDS) assert.ok(names.has(`catalog.${kind}_with_parts`), kind)
    assert.ok(names.has('browse.lookup_by_site') && names.has('similar.similar'))
  })
})
