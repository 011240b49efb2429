import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '#test/browser.ts'
import { isRunning } from '#test/child-processes.ts'
import type { CampaignStage } from '../stage.ts'
import { NEEDS_SERVER, readPages, type CampaignFault, type OpenFaultGroup } from './fault.ts'

/** More connections than the limit below allows, of which the service keeps some for its database. */
const IDLE_CONNECTIONS = 400

/** Time, in milliseconds, within which a watchdog would end a resumed process. */
const RESUMED_MS = 2_000

/** Time, in milliseconds, within which the output of an ended process has been read. */
const LOGGED_MS = 5_000

const suspended = (name: string, pick: (stage: CampaignStage) => number): CampaignFault => ({
  name: `${name} suspended`,
  expects: 'served',
  lastsMs: 4_000,
  async begin(stage) {
    const pid = pick(stage)
    process.kill(pid, 'SIGSTOP')
    return async () => {
      process.kill(pid, 'SIGCONT')
      await sleep(RESUMED_MS)
      if (!isRunning(pid)) throw new Error('the process ended')
    }
  },
})

/** Makes SIGUSR2 block the event loop of a process. */
const BLOCKED = { NODE_OPTIONS: `--import ${new URL('preload.ts', import.meta.url).href}` }

/** Opens the faults of the service's own processes, two workers and their primary. */
export const openProcessFaults: OpenFaultGroup = async ({ engine }) => {
  if (engine === 'embedded') return NEEDS_SERVER
  return {
    faults: [
      suspended('a worker', (stage) => stage.workers()[0] ?? 0),
      suspended('the primary', (stage) => stage.service.pid),
      {
        name: 'event loop of a worker blocked',
        expects: 'refused',
        lastsMs: 1_000,
        isSlow: true,
        async begin(stage) {
          const [worker = 0] = stage.workers()
          process.kill(worker, 'SIGUSR2')
          return async () => {
            // The watchdog ends the worker, and the primary replaces it.
            await eventually(() => !isRunning(worker), 'the end of the worker')
            await eventually(async () => stage.workers().length === 2, 'another worker')
          }
        },
      },
    ],
    mode: { workers: 2, environment: BLOCKED },
    close: async () => {},
  }
}

/** Opens the faults of a single process that stops responding. Its watchdog must end it only if its event loop is blocked. */
export const openStallFaults: OpenFaultGroup = async () => ({
  faults: [
    {
      ...suspended('a single process', ({ service }) => service.pid),
      name: 'a single process suspended for 40 s',
      expects: 'refused',
      lastsMs: 40_000,
      isSlow: true,
    },
    {
      name: 'event loop of a single process blocked',
      expects: 'refused',
      lastsMs: 1_000,
      isSlow: true,
      async begin(stage, report) {
        const { service } = stage
        const blockedAt = performance.now()
        service.signal('SIGUSR2')
        return async () => {
          await eventually(() => !isRunning(service.pid), 'the end of the process')
          report({ 'ended after': `${Math.round((performance.now() - blockedAt) / 1_000)} s` })
          await eventually(
            () => /"level":"fatal".*event loop was blocked/.test(service.output()),
            'the reason in the log',
            LOGGED_MS,
          )
          // As a supervisor would.
          await stage.startService()
        }
      },
    },
  ],
  mode: { environment: BLOCKED },
  close: async () => {},
})

/** Opens the fault of a process with little memory. */
export const openMemoryFaults: OpenFaultGroup = async () => ({
  faults: [
    {
      name: 'old space of 64 MB',
      // Collecting garbage takes most of the time, so the process counts as overloaded. It may run out of memory.
      expects: 'refused',
      lastsMs: 10_000,
      async begin(stage) {
        const { pid } = stage.service
        const stop = readPages(stage)
        return async () => {
          await stop()
          // As a supervisor would.
          if (!isRunning(pid)) await stage.startService()
        }
      },
    },
  ],
  mode: { environment: { NODE_OPTIONS: '--max-old-space-size=64' } },
  close: async () => {},
})

/** Opens the fault of a process that may open few files. */
export const openFileFaults: OpenFaultGroup = async () => ({
  faults: [
    {
      name: `${IDLE_CONNECTIONS} idle connections with ulimit -n 256`,
      expects: 'refused',
      lastsMs: 2_000,
      async begin({ port }) {
        const sockets = Array.from({ length: IDLE_CONNECTIONS }, () =>
          connect(port, '127.0.0.1').on('error', () => {}),
        )
        await Promise.any(sockets.map((socket) => once(socket, 'connect')))
        return () => sockets.forEach((socket) => socket.destroy())
      },
    },
  ],
  mode: { shell: 'ulimit -n 256' },
  close: async () => {},
})
