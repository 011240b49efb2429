import { watchMachine } from './support/busy.ts'
import type { Claim } from './support/claim.ts'
import { closedLoop, openLoop, type LoopOutcome } from './support/open-loop.ts'
import { pinApart } from './support/pin.ts'
import { median } from './support/rounds.ts'

const CLIENTS = 64
/** Load relative to the capacity. */
const TIMES = 3
const MIN_RATIO = 0.9
const MAX_P99_MS = 1_000
const SORTS = ['popularity', 'score', 'date', 'name', 'changed']

/**
 * Measures accepted requests per second and their latency at three times the capacity, which is the best rate of
 * clients that wait for each response. The requests are a mix of details and lists, none of them cached. The service
 * runs on one processor and the generator on another; PostgreSQL uses both.
 */
export const overload: Claim = {
  name: 'overload',
  async measure(stage) {
    const catalog = await stage.catalog()
    const service = await stage.serve(catalog, { CATALOG_CACHE_MIB: '0' })
    const unpin = await pinApart(stage.children, service)
    const pathOf = (n: number) =>
      n % 3 === 0
        ? `/api/v3/open/galgames?platform=${n % 7}&page=${1 + (n % 20)}&sort=${SORTS[n % SORTS.length]}`
        : `/api/v3/open/galgames/${1 + ((n * 7_919) % catalog.works)}`
    const { authorization } = service.headers
    const url = new URL(service.url)
    const load = { url, pathOf, authorization, seconds: stage.seconds * 2 }
    await closedLoop(CLIENTS, load)
    const endWatch = watchMachine()
    const capacities: number[] = []
    const outcomes: LoopOutcome[] = []
    for (let round = 0; round < stage.rounds; round += 1) {
      capacities.push((await closedLoop(CLIENTS, load)).perSecond)
      outcomes.push(await openLoop(Math.max(...capacities) * TIMES, load))
    }
    const best = Math.max(...capacities)
    const busy = endWatch()
    await unpin()
    await service.stop()

    const accepted = median(outcomes.map(({ perSecond }) => perSecond))
    const ratio = accepted / best
    const sum = (of: (outcome: LoopOutcome) => number) =>
      outcomes.reduce((total, outcome) => total + of(outcome), 0)
    const failed = sum((outcome) => outcome.failed + outcome.expired)
    const latencies = outcomes.flatMap((outcome) => outcome.latencies).toSorted((a, b) => a - b)
    const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Infinity
    const perSecond = (speed: number) => `${Math.round(speed).toLocaleString('en')}/s`
    return [
      {
        row: `three times the capacity: accepted (${sum(({ refused }) => refused)} refused, ${failed} failed)`,
        measured: perSecond(accepted),
        floor: perSecond(best),
        ratio: ratio.toFixed(2),
        target: `≥ ${MIN_RATIO.toFixed(2)}`,
        met: ratio >= MIN_RATIO && failed === 0,
        busy,
      },
      {
        row: 'three times the capacity: latency of accepted requests',
        measured: `${at(0.99).toFixed(0)} ms p99`,
        floor: `${at(0.5).toFixed(0)} ms p50`,
        target: `≤ ${MAX_P99_MS} ms`,
        met: at(0.99) <= MAX_P99_MS,
        busy,
      },
    ]
  },
}
