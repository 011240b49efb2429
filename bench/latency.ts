import { watchMachine } from './support/busy.ts'
import type { Claim } from './support/claim.ts'
import { median } from './support/rounds.ts'
import { wrk, type WrkOutcome } from './support/wrk.ts'

const ID = 500
const MAX_RATIO = 4
/** Mean pause of a connection between two requests, in milliseconds. Far longer than a response takes. */
const THINK = 4

/** Measures p99 relative to p50 on a service at half of its capacity. */
export const latency: Claim = {
  name: 'latency',
  async measure(stage) {
    const service = await stage.serve(await stage.catalog())
    const load = { url: service.detail(ID), headers: service.headers, seconds: stage.seconds }
    await wrk(stage.children, load)
    const { perSecond: max } = await wrk(stage.children, load)
    const connections = Math.ceil((max / 2) * (THINK / 1_000))
    await stage.turns?.pass()
    const endWatch = watchMachine()
    const outcomes: WrkOutcome[] = []
    for (let round = 0; round < stage.rounds; round += 1) {
      outcomes.push(await wrk(stage.children, { ...load, connections, think: THINK }))
      await stage.turns?.pass()
    }
    const busy = endWatch()
    await service.stop()

    const share = median(outcomes.map(({ perSecond }) => perSecond)) / max
    const ratio = median(outcomes.map(({ p50, p99 }) => p99 / p50))
    const milliseconds = (of: (outcome: WrkOutcome) => number) =>
      `${(median(outcomes.map(of)) / 1_000).toFixed(2)} ms`
    return [
      {
        row: 'warm detail at about half of full load: p99 to p50',
        measured: `${milliseconds(({ p99 }) => p99)} at ${Math.round(share * 100)} %`,
        floor: milliseconds(({ p50 }) => p50),
        ratio: ratio.toFixed(1),
        target: `≤ ${MAX_RATIO}`,
        met: ratio <= MAX_RATIO,
        busy,
        series: [
          { unit: 'µs p50', better: 'less', values: outcomes.map(({ p50 }) => p50) },
          { unit: 'µs p99', better: 'less', values: outcomes.map(({ p99 }) => p99) },
        ],
      },
    ]
  },
}
