import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../../../src/kernel/error-code.ts'
import type { CampaignStage } from '../stage.ts'
import { readPages, type OpenFaultGroup } from './fault.ts'

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 2)
/** Share of that time in which caches fill and V8 optimizes, before the first measurement. */
const WARM_UP = 0.25
/** Time, in milliseconds, between two writes of a user: about 40 writes per second in total. */
const PAUSE_MS = 500
const SAMPLES = 10
const MB = 2 ** 20

type Measure = { name: string; mayGrow: number; read(stage: CampaignStage): number }

/** Values to measure, and the growth allowed after warming up. The data grow with the history of the ratings. */
const MEASURES: Measure[] = [
  { name: 'MB of memory', mayGrow: 64, read: residentMb },
  { name: 'descriptors', mayGrow: 64, read: countDescriptors },
  { name: 'MB of WAL', mayGrow: 64, read: ({ clusterFolder }) => sizeMb(logOf(clusterFolder)) },
  {
    name: 'MB of data',
    mayGrow: 8 + MINUTES,
    read: ({ clusterFolder }) => sizeMb(clusterFolder) - sizeMb(logOf(clusterFolder)),
  },
]

/** Opens a moderate load that lasts, during which nothing may grow without limit. */
export const openSoak: OpenFaultGroup = async ({ engine }) => ({
  faults: [
    {
      name: `soak of ${MINUTES} minutes`,
      expects: 'refused',
      lastsMs: (1 - WARM_UP) * MINUTES * 60_000,
      pauseMs: PAUSE_MS,
      isSlow: true,
      async begin(stage, report) {
        const stop = readPages(stage)
        await sleep(WARM_UP * MINUTES * 60_000)
        const first = await measureAll(stage)
        return async () => {
          const last = await measureAll(stage)
          await stop()
          const growths = MEASURES.map((measure) => {
            const [from = 0, to = 0] = [first.get(measure), last.get(measure)]
            return { ...measure, from, to }
          })
          report(Object.fromEntries(growths.map(({ name, from, to }) => [name, `${from} → ${to}`])))
          for (const { name, from, to, mayGrow } of growths)
            if (to > from + mayGrow) throw new Error(`from ${from} to ${to} ${name}`)
        }
      },
    },
  ],
  mode: engine === 'server' ? { workers: 2 } : {},
  close: async () => {},
})

/** Returns the lowest of several values each, because memory and the log grow until they are cleaned up. */
async function measureAll(stage: CampaignStage): Promise<Map<Measure, number>> {
  const lowest = new Map<Measure, number>()
  for (let count = 0; count < SAMPLES; count += 1) {
    for (const measure of MEASURES)
      lowest.set(measure, Math.min(lowest.get(measure) ?? Infinity, measure.read(stage)))
    await sleep(500)
  }
  return lowest
}

const processesOf = ({ service, workers }: CampaignStage) => [service.pid, ...workers()]

function residentMb(stage: CampaignStage) {
  const sizes = processesOf(stage).map((pid) =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0),
  )
  return Math.round(sizes.reduce((total, size) => total + size, 0) / 1_024)
}

function countDescriptors(stage: CampaignStage) {
  return processesOf(stage).reduce((total, pid) => total + readdirSync(`/proc/${pid}/fd`).length, 0)
}

const logOf = (cluster: string) => join(cluster, 'pg_wal')

function sizeMb(folder: string) {
  const sizes = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => sizeOf(join(parentPath, name)))
  return Math.round(sizes.reduce((total, size) => total + size, 0) / MB)
}

/** Returns the size of a file, which may have been deleted. */
function sizeOf(file: string) {
  try {
    return statSync(file).size
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return 0
  }
}
