import type { Claim } from './support/claim.ts'
import { timePerRequest } from './support/processor-time.ts'
import { toResult, type Result } from './support/report.ts'
import { compare, type Comparison, type Speed } from './support/rounds.ts'
import type { Service } from './support/service.ts'
import type { Stage } from './support/stage.ts'
import { wrk } from './support/wrk.ts'

const ID = 500
/** Target ratio of processor time, floor to subject. */
const MAX_RATIO = 1.1

/**
 * Measures a request with two workers and their primary process against one process, and against two services of one
 * process each under the same load.
 */
export const workersClaim: Claim = {
  name: 'workers',
  async measure(stage) {
    // Cached responses cost the same whatever the size of the table.
    const catalog = await stage.catalog(1_000)
    const services = [await stage.serve(catalog), await stage.serve(catalog)]
    const workers = await stage.serve(catalog, { WORKERS: '2' })
    const twice = speedOfAll(stage, [workers, workers])
    const oneWorker = await compare(stage, speedOfAll(stage, services.slice(0, 1)), twice)
    const two = await compare(stage, speedOfAll(stage, services), twice)
    await Promise.all([...services, workers].map(({ stop }) => stop()))
    return [
      toCpuResult('warm detail, two workers to one process', oneWorker),
      toCpuResult('warm detail, two workers to two services', two),
    ]
  },
}

/** The target is a ratio of processor time, floor to subject, as in every row. */
function toCpuResult(row: string, comparison: Comparison): Result {
  const result = toResult(row, comparison)
  const { processorRatio } = result
  return {
    ...result,
    target: `≥ ${(1 / MAX_RATIO).toFixed(2)} CPU`,
    met: processorRatio === undefined ? undefined : Number(processorRatio) >= 1 / MAX_RATIO,
  }
}

/** Loads all servers at once. Each process has the same number of connections and the same amount of work. */
function speedOfAll({ children, seconds }: Stage, services: Service[]): () => Promise<Speed> {
  const cpuTime = () =>
    [...new Set(services)].reduce<number | undefined>((sum, service) => {
      const time = service.cpuTime()
      return sum === undefined || time === undefined ? undefined : sum + time
    }, 0)
  return async () => {
    const before = cpuTime()
    const outcomes = await Promise.all(
      services.map((service) =>
        wrk(children, { url: service.detail(ID), headers: service.headers, seconds }),
      ),
    )
    const requests = outcomes.reduce((sum, outcome) => sum + outcome.requests, 0)
    const perSecond = outcomes.reduce((sum, outcome) => sum + outcome.perSecond, 0)
    return { perSecond, cpu: timePerRequest(before, cpuTime(), requests) }
  }
}
