import { readdirSync, readFileSync } from 'node:fs'
import type { Claim } from './support/claim.ts'
import { compare } from './support/rounds.ts'
import { speedOf } from './support/speed.ts'
import type { Stage } from './support/stage.ts'

const ID = 500
const CONNECTIONS = 32
/** Of the processor time that one process takes for a request. */
const MOST = 1.1

/** What a request costs with two workers, in all their processes and the one above them, against a service of one. */
export const workersClaim: Claim = {
  name: 'workers',
  async measure(stage) {
    const one = await serveWarm(stage, 1)
    const two = await serveWarm(stage, 2)
    const { floor, subject } = await compare(stage.rounds, one.speed, two.speed)
    await Promise.all([one.stop(), two.stop()])
    const ratio = (subject.cpu ?? Number.NaN) / (floor.cpu ?? Number.NaN)
    const describe = ({ perSecond, cpu = Number.NaN }: typeof floor) =>
      `${Math.round(perSecond).toLocaleString('en')}/s, ${cpu.toFixed(1)} µs`
    return [
      {
        row: 'warm detail, two workers',
        measured: describe(subject),
        floor: describe(floor),
        ratio: ratio.toFixed(2),
        target: `≤ ${MOST.toFixed(2)} CPU`,
        met: ratio <= MOST,
      },
    ]
  },
}

async function serveWarm(stage: Stage, workers: number) {
  const catalog = await stage.catalog()
  const before = processesBelow(process.pid)
  const service = await stage.serve(catalog, { WORKERS: String(workers) })
  const started = [...processesBelow(process.pid)].filter((pid) => !before.has(pid))
  const cpuTime = () => started.reduce((sum, pid) => sum + cpuTimeOf(pid), 0)
  const load = {
    url: service.detail(ID),
    headers: service.headers,
    // As many for each: what a process finds at once it does for less.
    connections: workers * CONNECTIONS,
  }
  return { stop: service.stop, speed: speedOf(stage, { ...service, cpuTime }, load) }
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
