import { readdirSync, readFileSync } from 'node:fs'
import type { Claim } from './support/claim.ts'
import type { Result } from './support/report.ts'
import { compare, type Comparison, type Speed } from './support/rounds.ts'
import type { Service } from './support/service.ts'
import type { Stage } from './support/stage.ts'
import { wrk } from './support/wrk.ts'

const ID = 500
/** Of the processor time that one process takes for a request. */
const MOST = 1.1

/** A service with the processor time of all its processes. */
type Whole = Service & { cpuTime(): number }

/**
 * What a request costs with two workers and the process above them: against one process, and against two services of one
 * process each under the same load, which have to share the machine in the same way.
 */
export const workersClaim: Claim = {
  name: 'workers',
  async measure(stage) {
    const services = [await serveWhole(stage, 1), await serveWhole(stage, 1)]
    const workers = await serveWhole(stage, 2)
    const twice = speedOfAll(stage, [workers, workers])
    const one = await compare(stage.rounds, speedOfAll(stage, services.slice(0, 1)), twice)
    const two = await compare(stage.rounds, speedOfAll(stage, services), twice)
    await Promise.all([...services, workers].map(({ stop }) => stop()))
    return [
      toCpuResult('warm detail, two workers to one process', one),
      toCpuResult('warm detail, two workers to two services', two),
    ]
  },
}

function toCpuResult(row: string, { subject, floor }: Comparison): Result {
  const ratio = (subject.cpu ?? Number.NaN) / (floor.cpu ?? Number.NaN)
  const describe = ({ perSecond, cpu = Number.NaN }: Speed) =>
    `${Math.round(perSecond).toLocaleString('en')}/s, ${cpu.toFixed(1)} µs`
  return {
    row,
    measured: describe(subject),
    floor: describe(floor),
    ratio: ratio.toFixed(2),
    target: `≤ ${MOST.toFixed(2)} CPU`,
    met: ratio <= MOST,
  }
}

async function serveWhole(stage: Stage, workers: number): Promise<Whole> {
  // What is kept in memory costs the same whatever the size of the table.
  const catalog = await stage.catalog(1_000)
  const before = processesBelow(process.pid)
  const service = await stage.serve(catalog, { WORKERS: String(workers) })
  const started = [...processesBelow(process.pid)].filter((pid) => !before.has(pid))
  return { ...service, cpuTime: () => started.reduce((sum, pid) => sum + cpuTimeOf(pid), 0) }
}

/** One load for each that is named, all at once: each process has as many connections, and finds as much to do at once. */
function speedOfAll({ children, seconds }: Stage, services: Whole[]): () => Promise<Speed> {
  const cpuTime = () => [...new Set(services)].reduce((sum, service) => sum + service.cpuTime(), 0)
  return async () => {
    const before = cpuTime()
    const outcomes = await Promise.all(
      services.map((service) =>
        wrk(children, { url: service.detail(ID), headers: service.headers, seconds }),
      ),
    )
    const requests = outcomes.reduce((sum, outcome) => sum + outcome.requests, 0)
    const perSecond = outcomes.reduce((sum, outcome) => sum + outcome.perSecond, 0)
    return { perSecond, cpu: (cpuTime() - before) / requests }
  }
}

/** The processes that one has started, and those that they have. */
function processesBelow(pid: number): Set<number> {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const fields = fieldsOf(Number(name))
      return fields ? { pid: Number(name), parent: Number(fields[1]) } : []
    })
  const below = new Set([pid])
  for (let known = 0; known < below.size;) {
    known = below.size
    for (const { pid: child, parent } of parents) if (below.has(parent)) below.add(child)
  }
  return below
}

/** In microseconds; Linux counts a hundred ticks a second. */
function cpuTimeOf(pid: number) {
  const fields = fieldsOf(pid) ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

/** Of `/proc/PID/stat`, those behind the program's name; undefined: the process has ended. */
function fieldsOf(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')
  } catch {
    return undefined
  }
}
