import { setTimeout as sleep } from 'node:timers/promises'
import { queryOnce } from '#test/query-once.ts'
import type { SeededRandom } from '#test/seeded-random.ts'
import type { CampaignStage, ServiceMode } from './stage.ts'

/** A process that can be killed. */
type Victim = {
  /** Whether it runs in this mode. */
  isIn(stage: CampaignStage): boolean
  /** Kills it, and starts again what nothing else starts. */
  kill(stage: CampaignStage, random: SeededRandom): Promise<void>
  /** Whether the writers end with the kill, because nothing serves them until the next start. */
  stopsService: boolean
}

const isServer = ({ engine }: CampaignStage) => engine === 'server'
const hasWorkers = ({ mode }: CampaignStage) => (mode.workers ?? 1) > 1

export const VICTIMS = {
  service: {
    isIn: (stage) => !hasWorkers(stage),
    kill: (stage) => stage.killService(),
    stopsService: true,
  },
  worker: {
    isIn: hasWorkers,
    async kill(stage, random) {
      const before = stage.workers()
      process.kill(random.pick(before), 'SIGKILL')
      await waitFor(() => {
        const workers = stage.workers()
        return workers.length === before.length && workers.some((pid) => !before.includes(pid))
      })
    },
    stopsService: false,
  },
  primary: { isIn: hasWorkers, kill: (stage) => stage.killService(), stopsService: true },
  backend: {
    isIn: isServer,
    async kill(stage, random) {
      process.kill(random.pick(await backendsOf(stage)), 'SIGKILL')
    },
    stopsService: false,
  },
  postgres: {
    isIn: isServer,
    async kill(stage, random) {
      await stage.killPostgres()
      await sleep(random.below(400))
      await stage.startPostgres()
    },
    stopsService: false,
  },
} satisfies Record<string, Victim>

export type VictimName = keyof typeof VICTIMS
export const VICTIM_NAMES = Object.keys(VICTIMS) as VictimName[]

/** Returns the victim with the fewest kills in the current mode. */
export function chooseVictim(
  stage: CampaignStage,
  kills: ReadonlyMap<VictimName, number>,
  random: SeededRandom,
): VictimName {
  const names = VICTIM_NAMES.filter((name) => VICTIMS[name].isIn(stage))
  const fewest = Math.min(...names.map((name) => kills.get(name) ?? 0))
  return random.pick(names.filter((name) => (kills.get(name) ?? 0) === fewest))
}

/** Returns the mode of the next start: alternately one process and two workers with a server. */
export const nextMode = (stage: CampaignStage): ServiceMode =>
  isServer(stage) ? { ...stage.mode, workers: hasWorkers(stage) ? 1 : 2 } : stage.mode

/** Process ids of the service's connections, those in a transaction if there are any. */
async function backendsOf({ databaseUrl }: CampaignStage): Promise<[number, ...number[]]> {
  const rows = await queryOnce<{ pid: number; is_active: boolean }>(
    databaseUrl,
    `select pid, state <> 'idle' as is_active from pg_stat_activity
    where application_name = 'mokuroku' and pid <> pg_backend_pid() and backend_type = 'client backend'
    order by 2 desc`,
  )
  const active = rows.filter(({ is_active }) => is_active)
  // as: the service always has connections
  return (active.length > 0 ? active : rows).map(({ pid }) => pid) as [number, ...number[]]
}

async function waitFor(condition: () => boolean) {
  for (const deadline = Date.now() + 60_000; !condition(); await sleep(30))
    if (Date.now() > deadline) throw new Error('the killed process was not replaced')
}
