import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnDatabase } from '#test/databases.ts'
import { rowsReadBy, type PlanNode } from '#test/query-plans.ts'
import { startService, type TestService } from '#test/service.ts'
import { statementsOf } from '#test/statements.ts'
import { KINDS } from '../catalog/kinds.ts'
import { queryText } from '../db/query.ts'
import { summarizeHits, type HitKey } from './hit-summary-queries.ts'

describeOnDatabase('hit summaries', (engine) => {
  let service: TestService
  before(async () => (service = await startService({ engine })))
  after(() => service.close())

  it('are loaded by a query that reads each entry only once', async () => {
    const { db } = service
    const works = await queryText<HitKey>(
      db,
      `select resource_type as kind, resource_id as id from catalog_entries
       where resource_type = any($1::text[]) order by 1, 2 limit 30`,
      [['light_novel', 'manga']],
    )
    assert.equal(works.length, 30)
    const sent = await statementsOf(() => summarizeHits(db, works, true))
    const statement = sent.find(({ parameters }) => parameters[0] === JSON.stringify(works))
    assert.ok(statement)
    const { plan } = await rowsReadBy(db, statement)
    const tables = new Set(works.map(({ kind }): string => KINDS[kind].table))
    const read = (node: PlanNode): number =>
      (tables.has(node['Relation Name'] ?? '') ? (node['Actual Loops'] ?? 0) : 0) +
      (node.Plans ?? []).reduce((sum, child) => sum + read(child), 0)
    assert.equal(read(plan), works.length)
  })
})
