import { saveStatement } from '../src/ratings/own/write-statements.ts'
import type { Claim } from './support/claim.ts'
import { addUsers, fillRatings, RATED_WORKS } from './support/fill-ratings.ts'
import { compareWithStatement, CONNECTIONS, pgbench, pgbenchStatement } from './support/pgbench.ts'
import { toResult, type Result } from './support/report.ts'
import { compare } from './support/rounds.ts'
import type { Stage } from './support/stage.ts'
import { tokenFile, userTokens } from './support/user-tokens.ts'

const USER_COUNT = 32

/** SQL that the service runs for a PUT, including history and deltas. */
const SAVE = saveStatement('galgame', { status: 'COMPLETED', rate: 1 })
const [sentBits] = SAVE.parameters
const SERVICE_STATEMENT = pgbenchStatement(SAVE.save.text, {
  1: ':reader',
  2: ':work',
  3: `'galgame'`,
  4: `'bench'`,
  5: String(sentBits),
  ...Object.fromEntries(
    SAVE.fields.map((field, index) => [6 + index, field === 'rate' ? ':rate' : `'COMPLETED'`]),
  ),
})

/** Smallest statement that stores the same rating fields. */
const PLAIN_UPSERT = `
  insert into ratings (account_id, work_id, kind, status, rate, updated_at)
  values (:reader, :work, 'galgame', 'COMPLETED', :rate, now())
  on conflict (account_id, work_id) do update
    set status = excluded.status, rate = excluded.rate, updated_at = excluded.updated_at`

/**
 * Measures rating PUTs of random users and works against pgbench with a plain upsert of the same row, and with the
 * service's statement.
 */
export const ratingPut: Claim = {
  name: 'rating-put',
  async measure(stage) {
    const many = stage.quick ? 100_000 : 10_000_000
    return [...(await measurePut(stage, 1)), ...(await measurePut(stage, many))]
  },
}

async function measurePut(stage: Stage, ratings: number): Promise<Result[]> {
  const catalog = await stage.ownCatalog(`ratings_${ratings}`)
  await fillRatings(catalog, ratings)
  const users = await addUsers(catalog, USER_COUNT)
  const first = Math.min(...users.readers.map(({ id }) => id))
  const service = await stage.serve(catalog, { DATABASE_POOL_SIZE: String(CONNECTIONS) })
  const tokens = tokenFile(stage, await userTokens(service, users))
  const scriptOf = (text: string) =>
    [
      `\\set reader ${first} + random(0, ${USER_COUNT - 1})`,
      `\\set work random(1, ${RATED_WORKS})`,
      '\\set rate random(1, 10)',
      `${text};\n`,
    ].join('\n')
  const upsert = scriptOf(PLAIN_UPSERT)
  const url = `${service.url}/v3/user/me/rates/galgames/1`
  const load = { url, ids: RATED_WORKS, tokens, ratings: true }
  const comparison = await compareWithStatement(stage, service, catalog, upsert, load)
  await service.stop()
  const many = `${ratings.toLocaleString('en')} in the table`
  const put = toResult(`rating PUT, ${many}`, comparison, 0.4)
  // The statement is from this tree, whichever commit is served.
  if (stage.turns) return [put]
  const alone = await compare(
    stage,
    pgbench(stage, catalog, upsert),
    pgbench(stage, catalog, scriptOf(SERVICE_STATEMENT)),
  )
  return [put, toResult(`rating PUT, its statement through pgbench, ${many}`, alone)]
}
