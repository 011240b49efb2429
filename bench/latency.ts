import { startBytesOf } from './floors/start.ts'
import { watchMachine } from './support/busy.ts'
import type { Claim } from './support/claim.ts'
import type { Series } from './support/report.ts'
import { median } from './support/rounds.ts'
import type { Stage } from './support/stage.ts'
import { wrk, type WrkOutcome } from './support/wrk.ts'

const ID = 500
/** Maximum ratio of p99 to p50, relative to that of the floor. */
const MAX_RATIO = 1.25
/** Mean pause of a connection between two requests, in milliseconds. Far longer than a response takes. */
const THINK = 4

type Target = { url: string; headers: Record<string, string> }

/**
 * Measures p99 relative to p50 on a service at half of its capacity, and on a bare server that sends the same bytes, at
 * half of its own. The scheduler and the load generator on the same cores delay both.
 */
export const latency: Claim = {
  name: 'latency',
  async measure(stage) {
    const service = await stage.serve(await stage.catalog())
    const target = { url: service.detail(ID), headers: service.headers }
    const floor = stage.turns ? undefined : await startBytesOf(stage, target.url, target.headers)
    const endWatch = watchMachine()
    const own = await measureTail(stage, target)
    const bare = floor && (await measureTail(stage, { ...target, url: floor.url }))
    const busy = endWatch()
    await service.stop()
    await floor?.stop()
    const series: Series[] = [
      { unit: 'µs p50', better: 'less', values: own.outcomes.map(({ p50 }) => p50) },
      { unit: 'µs p99', better: 'less', values: own.outcomes.map(({ p99 }) => p99) },
    ]
    const row = 'warm detail at about half of full load: p99, p50'
    if (!bare) return [{ row, measured: own.text, busy, series }]
    const ratio = own.ratio / bare.ratio
    return [
      {
        row,
        measured: own.text,
        floor: bare.text,
        ratio: ratio.toFixed(2),
        target: `≤ ${MAX_RATIO}`,
        met: ratio <= MAX_RATIO,
        busy,
        series,
      },
    ]
  },
}

/** Measures a server at half of its capacity. */
async function measureTail(stage: Stage, { url, headers }: Target) {
  const load = { url, headers, seconds: stage.seconds }
  await wrk(stage.children, load)
  const { perSecond: max } = await wrk(stage.children, load)
  const connections = Math.ceil((max / 2) * (THINK / 1_000))
  await stage.turns?.pass()
  const outcomes: WrkOutcome[] = []
  for (let round = 0; round < stage.rounds; round += 1) {
    outcomes.push(await wrk(stage.children, { ...load, connections, think: THINK }))
    await stage.turns?.pass()
  }
  const of = (value: (outcome: WrkOutcome) => number) => median(outcomes.map(value))
  const ratio = of(({ p50, p99 }) => p99 / p50)
  const share = Math.round((of(({ perSecond }) => perSecond) / max) * 100)
  const milliseconds = [of(({ p99 }) => p99), of(({ p50 }) => p50)].map((time) =>
    (time / 1_000).toFixed(2),
  )
  return {
    outcomes,
    ratio,
    text: `${milliseconds.join(', ')} ms at ${share} %: ${ratio.toFixed(1)}`,
  }
}
