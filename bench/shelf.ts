import { LIST_ITEMS } from '../src/ratings/own/lists/list-queries.ts'
import { FIND_LATEST_WALK, START_WALK } from '../src/ratings/own/lists/walk-queries.ts'
import type { Claim } from './support/claim.ts'
import { addUsers, fillShelf } from './support/fill-ratings.ts'
import { compareWithStatement, CONNECTIONS, pgbenchStatement } from './support/pgbench.ts'
import { toResult, type Result } from './support/report.ts'
import { userTokens } from './support/user-tokens.ts'

const RECORDS = 10_000
const PAGE_SIZE = 100

/** App and filter of the floor's walk, in SQL. */
const WALK = ["'pgbench'", "'all'"]

/**
 * Measures the first and the last page of a user who has ten thousand ratings against pgbench with the same two
 * statements: one for the order, and one for the items.
 */
export const shelf: Claim = {
  name: 'shelf',
  async measure(stage) {
    const catalog = await stage.ownCatalog('shelf', RECORDS)
    const users = await addUsers(catalog, 1)
    const id = users.readers[0]?.id ?? 0
    await fillShelf(catalog, id, RECORDS)
    const service = await stage.serve(catalog, { DATABASE_POOL_SIZE: String(CONNECTIONS) })
    const [token] = await userTokens(service, users)
    const statementSql = ({ text }: { text: string }, ...parameters: (string | number)[]) =>
      pgbenchStatement(
        text,
        Object.fromEntries(parameters.map((sql, index) => [index + 1, String(sql)])),
      )
    const items = statementSql(LIST_ITEMS, id, ':work_ids')
    const pages = [
      {
        name: 'first',
        page: 1,
        order: statementSql(START_WALK.ofAll, id, 'null', 'null', 'null', ...WALK, 0, PAGE_SIZE),
      },
      {
        name: 'last',
        page: RECORDS / PAGE_SIZE,
        order: statementSql(FIND_LATEST_WALK, id, ...WALK, RECORDS - PAGE_SIZE, PAGE_SIZE),
      },
    ]
    const results: Result[] = []
    for (const { name, page, order } of pages) {
      const script = `${order}\n\\gset\n${items};\n`
      const comparison = await compareWithStatement(stage, service, catalog, script, {
        url: `${service.url}/v3/user/me/rates?page=${page}&page_size=${PAGE_SIZE}`,
        headers: { authorization: `Bearer ${token}` },
      })
      results.push(
        toResult(`${name} page of ${RECORDS.toLocaleString('en')} records`, comparison, 0.65),
      )
    }
    await service.stop()
    return results
  },
}
