import type { Claim } from './support/claim.ts'
import { toResult, type Result } from './support/report.ts'
import { compare } from './support/rounds.ts'
import { speedOf } from './support/speed.ts'
import type { Stage } from './support/stage.ts'

const SMALL_WORKS = 1_000

/** Measures the same requests on a large catalog and, as the floor, on a catalog of a thousand works. */
export const growth: Claim = {
  name: 'growth',
  async measure(stage) {
    const works = stage.works.toLocaleString('en')
    return [
      // Both sides request the same thousand galgames, which fit into memory.
      await measureGrowth(stage, `warm detail, ${works} works`, 0.95, { ids: () => SMALL_WORKS }),
      await measureGrowth(stage, `detail not in memory, ${works} works`, 0.85, {
        ids: (works) => works,
        settings: { CATALOG_CACHE_MIB: '0' },
      }),
    ]
  },
}

type Requests = { ids: (works: number) => number; settings?: NodeJS.ProcessEnv }

async function measureGrowth(
  stage: Stage,
  row: string,
  least: number,
  { ids, settings }: Requests,
): Promise<Result> {
  const [few, many] = [await stage.catalog(SMALL_WORKS), await stage.catalog()]
  const [small, large] = [await stage.serve(few, settings), await stage.serve(many, settings)]
  const comparison = await compare(
    stage,
    speedOf(stage, small, { url: small.detail(1), headers: small.headers, ids: ids(few.works) }),
    speedOf(stage, large, { url: large.detail(1), headers: large.headers, ids: ids(many.works) }),
  )
  await Promise.all([small.stop(), large.stop()])
  return toResult(row, comparison, least)
}
