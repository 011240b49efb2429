import { SAVE_RATING } from '../src/ratings/own/write-statements.ts'
import type { Claim } from './support/claim.ts'
import { addReaders, fillRatings, RATED_WORKS } from './support/fill-ratings.ts'
import { pgbench, pgbenchStatement } from './support/pgbench.ts'
import { toResult, type Result } from './support/report.ts'
import { compare } from './support/rounds.ts'
import { speedOf } from './support/speed.ts'
import type { Stage } from './support/stage.ts'
import { tokenFile, userTokens } from './support/user-tokens.ts'

/** As many as the service has by default. */
const CONNECTIONS = 8
const READERS = 32

/** The service's statement, of a random reader and a random work with a random score. */
const SAVE = pgbenchStatement(SAVE_RATING, {
  1: ':reader',
  2: ':work',
  3: `'galgame'`,
  4: `'bench'`,
  5: `('{"status": "COMPLETED", "rate": ' || :rate || '}')`,
})

/** A PUT of a rating, of random readers and works, against pgbench with the very same upsert and what hangs on it. */
export const ratingPut: Claim = {
  name: 'rating-put',
  async measure(stage) {
    const many = stage.quick ? 100_000 : 10_000_000
    return [await measurePut(stage, 1), await measurePut(stage, many)]
  },
}

async function measurePut(stage: Stage, ratings: number): Promise<Result> {
  const catalog = await stage.ownCatalog(`ratings_${ratings}`)
  await fillRatings(catalog, ratings)
  const readers = await addReaders(catalog, READERS)
  const first = Math.min(...readers.readers.map(({ id }) => id))
  const { origin } = await stage.postgres()
  const service = await stage.serve(catalog, { DATABASE_POOL_SIZE: String(CONNECTIONS) })
  const tokens = tokenFile(stage, await userTokens(service, readers))
  const script = [
    `\\set reader ${first} + random(0, ${READERS - 1})`,
    `\\set work random(1, ${RATED_WORKS})`,
    '\\set rate random(1, 10)',
    `${SAVE};\n`,
  ].join('\n')
  const load = { databaseUrl: catalog.databaseUrl ?? '', script, connections: CONNECTIONS, ...stage }
  const comparison = await compare(
    stage.rounds,
    async () => ({ perSecond: await pgbench(stage.children, origin, load) }),
    speedOf(stage, service, {
      url: `${service.url}/v3/user/me/rates/galgames/1`,
      ids: RATED_WORKS,
      tokens,
      ratings: true,
    }),
  )
  await service.stop()
  return toResult(`rating PUT, ${ratings.toLocaleString('en')} in the table`, comparison, 0.5)
}
