import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../../../src/kernel/error-code.ts'
import { numberVariable } from '#test/number-variables.ts'
import type { Figures } from '../report.ts'
import type { CampaignStage } from '../stage.ts'
import { readPages, type CampaignFault, type OpenFaultGroup } from './fault.ts'

const DEFAULT_MINUTES = 2
/** Share of that time before the first measurement, in which caches fill and V8 optimizes. */
const WARM_UP = 0.25
/** Time, in milliseconds, between two writes of a user: about 40 writes per second in total. */
const PAUSE_MS = 500
const SAMPLES = 10
const MB = 2 ** 20

/** Parts of a stage that a soak uses. */
type SoakStage = Pick<CampaignStage, 'url' | 'workers' | 'clusterFolder'> & {
  service: { pid: number }
}
type Measure = { name: string; mayGrow: number; read(stage: SoakStage): number }

/** Lists the values to measure, and their maximum growth after the warm-up. The data grows with the history of ratings. */
const measuresOf = (minutes: number): Measure[] => [
  { name: 'MB of memory', mayGrow: 64, read: residentMb },
  { name: 'descriptors', mayGrow: 64, read: countDescriptors },
  { name: 'MB of WAL', mayGrow: 64, read: ({ clusterFolder }) => sizeMb(walOf(clusterFolder)) },
  {
    name: 'MB of data',
    mayGrow: 8 + minutes,
    read: ({ clusterFolder }) => sizeMb(clusterFolder) - sizeMb(walOf(clusterFolder)),
  },
]

/** Opens a long, moderate load during which memory, descriptors, WAL and data must not grow without limit. */
export const openSoak: OpenFaultGroup = async ({ engine }) => ({
  faults: [soakOf(numberVariable('SOAK_MINUTES') ?? DEFAULT_MINUTES)],
  mode: engine === 'server' ? { workers: 2 } : {},
  close: async () => {},
})

export const soakOf = (minutes: number) =>
  ({
    name: `soak of ${minutes} minutes`,
    expects: 'refused',
    lastsMs: (1 - WARM_UP) * minutes * 60_000,
    pauseMs: PAUSE_MS,
    minAcknowledged: minutes * 300,
    isSlow: true,
    async begin(stage: SoakStage, report: (figures: Figures) => void) {
      const measures = measuresOf(minutes)
      const stop = readPages(stage)
      await sleep(WARM_UP * minutes * 60_000)
      const first = await measureAll(stage, measures).catch(async (error: unknown) => {
        await stop()
        throw error
      })
      return async () => {
        const last = await measureAll(stage, measures).finally(stop)
        const growths = measures.map((measure) => {
          const [from = 0, to = 0] = [first.get(measure), last.get(measure)]
          return { ...measure, from, to }
        })
        report(Object.fromEntries(growths.map(({ name, from, to }) => [name, `${from} → ${to}`])))
        for (const { name, from, to, mayGrow } of growths)
          if (to > from + mayGrow) throw new Error(`${name} grew from ${from} to ${to}`)
      }
    },
  }) satisfies CampaignFault

/** Returns the minimum of several samples of each value, because memory and the WAL grow until they are cleaned up. */
async function measureAll(stage: SoakStage, measures: Measure[]): Promise<Map<Measure, number>> {
  const lowest = new Map<Measure, number>()
  for (let count = 0; count < SAMPLES; count += 1) {
    for (const measure of measures)
      lowest.set(measure, Math.min(lowest.get(measure) ?? Infinity, measure.read(stage)))
    await sleep(500)
  }
  return lowest
}

const processesOf = ({ service, workers }: SoakStage) => [service.pid, ...workers()]

function residentMb(stage: SoakStage) {
  const sizes = processesOf(stage).map((pid) =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0),
  )
  return Math.round(sizes.reduce((total, size) => total + size, 0) / 1_024)
}

function countDescriptors(stage: SoakStage) {
  return processesOf(stage).reduce((total, pid) => total + readdirSync(`/proc/${pid}/fd`).length, 0)
}

const walOf = (cluster: string) => join(cluster, 'pg_wal')

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
