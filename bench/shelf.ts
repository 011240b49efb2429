import { LIST_RATINGS_OF, LIST_SHOWN_WORKS } from '../src/ratings/own/lists/list-queries.ts'
import type { Claim } from './support/claim.ts'
import { addUsers, fillShelf } from './support/fill-ratings.ts'
import { compareWithStatement, CONNECTIONS, pgbenchStatement } from './support/pgbench.ts'
import { toResult, type Result } from './support/report.ts'
import { userTokens } from './support/user-tokens.ts'

const RECORDS = 10_000
const PAGE_SIZE = 100

/**
 * Measures the first and the last page of a user who has ten thousand ratings against pgbench with the same statement.
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
    const results: Result[] = []
    for (const [name, page] of [
      ['first', 1],
      ['last', RECORDS / PAGE_SIZE],
    ] as const) {
      const parameters = {
        1: String(id),
        2: `(array(
          select work_id from ratings where account_id = ${id}
          order by updated_at desc, work_id desc offset ${(page - 1) * PAGE_SIZE} limit ${PAGE_SIZE}
        ))`,
      }
      const shown = {
        1: parameters[2],
        2: `(array(select 'galgame'::text from generate_series(1, ${PAGE_SIZE})))`,
      }
      const script = `${pgbenchStatement(LIST_RATINGS_OF.text, parameters)};\n${pgbenchStatement(LIST_SHOWN_WORKS.text, shown)};\n`
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
