import { setTimeout as wait } from 'node:timers/promises'
import { watchMachine } from './support/busy.ts'
import type { Claim } from './support/claim.ts'
import { addUsers } from './support/fill-ratings.ts'
import type { Result } from './support/report.ts'
import type { Service } from './support/service.ts'
import type { Stage } from './support/stage.ts'
import { userTokens } from './support/user-tokens.ts'

/** Maximum rows in one file. */
const RECORDS = 50_000
const MAX_SECONDS = 8
const MAX_MEMORY_MIB = 400

/**
 * Measures the import of a whole list from a file, then a second import that overwrites every rating. Reports the time
 * and the memory still in use afterwards.
 */
export const listImport: Claim = {
  name: 'list-import',
  async measure(stage) {
    const catalog = await stage.catalog(RECORDS)
    const users = await addUsers(catalog, 1)
    const service = await stage.serve(catalog)
    const [token = ''] = await userTokens(service, users)
    const before = service.memory().now
    const description = `${RECORDS.toLocaleString('en')} records of a reader`
    const results = [
      await measureImport(stage, service, {
        token,
        row: `${description} imported`,
        file: listOf(0),
        outcome: 'created',
      }),
      await measureImport(stage, service, {
        token,
        row: `${description} overwritten by import`,
        file: listOf(1),
        outcome: 'updated',
        max: MAX_SECONDS,
      }),
      await measureMemory(service, before),
    ]
    await service.stop()
    return results
  },
}

/** Returns a list in the export format. Every field of each rating has a value. The turn changes the scores. */
const listOf = (turn: number) =>
  JSON.stringify({
    ratings: Array.from({ length: RECORDS }, (_, index) => ({
      work_type: 'GALGAME',
      work_id: index + 1,
      status: index % 3 === 0 ? 'COMPLETED' : 'PLAN',
      rate: 1 + ((index + turn) % 10),
      rate_content: `今回もよかった ${index}`,
    })),
  })

/** @property outcome expected outcome of every rating, as counted in the report */
type Import = {
  token: string
  row: string
  file: string
  outcome: 'created' | 'updated'
  max?: number
}

async function measureImport(
  stage: Stage,
  service: Service,
  { token, row, file, outcome, max }: Import,
): Promise<Result> {
  const endWatch = watchMachine()
  const began = performance.now()
  const query = 'source=mokuroku&dry_run=false&overwrite=true'
  const response = await fetch(`${service.url}/v3/user/me/rates/import?${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: file,
  })
  const body = await response.text()
  if (!body.includes(`"${outcome}":${RECORDS}`))
    throw new Error(`${row}: ${response.status} ${body.slice(0, 500)}`)
  const seconds = (performance.now() - began) / 1_000
  await stage.turns?.pass()
  return {
    row,
    measured: `${seconds.toFixed(1)} s`,
    ...(max !== undefined && { target: `≤ ${max} s`, met: seconds <= max }),
    busy: endWatch(),
    series: [{ unit: 's', better: 'less', values: [seconds] }],
  }
}

/** Peak resident memory during both imports, and resident memory a minute later. */
async function measureMemory(service: Service, before: number): Promise<Result> {
  const endWatch = watchMachine()
  await wait(60_000)
  const { now, peak } = service.memory()
  return {
    row: 'memory at the peak of list imports; a minute after, before',
    measured: `${mebibytes(peak)}; ${mebibytes(now)}, ${mebibytes(before)} MiB`,
    target: `≤ ${MAX_MEMORY_MIB} MiB`,
    met: mebibytes(peak) <= MAX_MEMORY_MIB,
    busy: endWatch(),
    series: [{ unit: 'MiB', better: 'less', values: [peak / 2 ** 20] }],
  }
}

const mebibytes = (bytes: number) => Math.round(bytes / 2 ** 20)
