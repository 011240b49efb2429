import { setTimeout as sleep } from 'node:timers/promises'
import { watchMachine } from './support/busy.ts'
import type { Claim } from './support/claim.ts'
import type { Catalog } from './support/catalog.ts'
import { pinApart } from './support/pin.ts'
import { treeTime } from './support/processor-time.ts'
import type { Result } from './support/report.ts'
import { median } from './support/rounds.ts'
import type { Service } from './support/service.ts'
import type { Stage } from './support/stage.ts'
import { wrk, type Load } from './support/wrk.ts'

const CLIENTS = 64
/** Load relative to the capacity. */
const TIMES = 3
/** Mean pause, in milliseconds, of a client between a response and its next request. */
const PAUSE_MS = 500
/** Interval, in milliseconds, of the requests whose latency is measured. */
const SAMPLE_MS = 10
/** Time, in milliseconds, in which the clients connect. No sample is taken then. */
const CONNECT_MS = 2_000
/** Time, in milliseconds, after which a client gives up. */
const DEADLINE_MS = 2_000
const MIN_RATIO = 0.9
const MAX_P99_MS = 1_000

type Sample = { latency: number; outcome: 'accepted' | 'refused' | 'failed' }

/**
 * Measures accepted requests per second at three times the capacity, which is the best rate of clients that wait for
 * each response, and the latency of a sample of them. The requests are a mix of details and lists, none of them cached.
 * The service and PostgreSQL run on one processor and the clients on another, because the clients of the overload would
 * otherwise take processor time from PostgreSQL.
 */
export const overload: Claim = {
  name: 'overload',
  measure: async (stage) =>
    measureOverload(stage, await stage.catalog(), 'three times the capacity', {}),
}

/** Measures overload with a replica that runs most of the reads. Returns no rows unless the bench starts PostgreSQL itself. */
export const overloadWithReplica: Claim = {
  name: 'overload-replica',
  async measure(stage) {
    const catalog = await stage.catalog()
    const url = await stage.replicaOf(catalog)
    return url === undefined
      ? []
      : measureOverload(stage, catalog, 'three times the capacity, with a replica', {
          DATABASE_REPLICA_URLS: url,
        })
  },
}

async function measureOverload(
  stage: Stage,
  catalog: Catalog,
  row: string,
  settings: NodeJS.ProcessEnv,
): Promise<Result[]> {
  const service = await stage.serve(catalog, { CATALOG_CACHE_MIB: '0', ...settings })
  const database = await stage.databasePids()
  const unpin = await pinApart(stage.children, [service.pid, ...database])
  const { headers } = service
  const load = {
    url: service.url,
    headers,
    mix: catalog.works,
    seconds: stage.seconds * 3 + CONNECT_MS / 1_000,
  }
  /** Runs a load. Also returns the processor time, in microseconds, that service and database took per accepted request. */
  const measure = async (clients: Partial<Load>) => {
    const before = await usedTime()
    const outcome = await wrk(stage.children, { ...load, connections: CLIENTS, ...clients })
    const accepted = outcome.requests - (clients.mayRefuse ? outcome.refused : 0)
    return { ...outcome, accepted, cpu: ((await usedTime()) - before) / accepted }
  }
  const usedTime = async () =>
    (treeTime(service.pid) ?? NaN) + ((await stage.databaseTime()) ?? NaN)
  await measure({})
  const endWatch = watchMachine()
  const capacities: number[] = []
  const accepted: number[] = []
  const processorRatios: number[] = []
  const samples: Sample[] = []
  let allRefused = 0
  for (let round = 0; round < stage.rounds; round += 1) {
    const undisturbed = await measure({})
    capacities.push(undisturbed.perSecond)
    const connections = Math.round((Math.max(...capacities) * TIMES * PAUSE_MS) / 1_000)
    const ending = new AbortController()
    const sampling = sample(service, catalog.works, ending.signal)
    const outcome = await measure({
      connections,
      think: PAUSE_MS,
      timeout: DEADLINE_MS / 1_000,
      mayRefuse: true,
    })
    ending.abort()
    samples.push(...(await sampling))
    accepted.push((outcome.perSecond * outcome.accepted) / outcome.requests)
    processorRatios.push(undisturbed.cpu / outcome.cpu)
    allRefused += outcome.refused
  }
  const best = Math.max(...capacities)
  const busy = endWatch()
  await unpin()
  await service.stop()

  const ratio = median(accepted) / best
  const failed = samples.filter(({ outcome }) => outcome === 'failed').length
  const latencies = samples
    .flatMap(({ latency, outcome }) => (outcome === 'accepted' ? [latency] : []))
    .toSorted((a, b) => a - b)
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Infinity
  const perSecond = (speed: number) => `${Math.round(speed).toLocaleString('en')}/s`
  return [
    {
      row: `${row}: accepted (${allRefused} refused, ${failed} of a sample of ${samples.length} failed)`,
      measured: perSecond(median(accepted)),
      floor: perSecond(best),
      ratio: ratio.toFixed(2),
      processorRatio: Number.isNaN(median(processorRatios))
        ? undefined
        : median(processorRatios).toFixed(2),
      target: `≥ ${MIN_RATIO.toFixed(2)}`,
      met: ratio >= MIN_RATIO && failed === 0,
      busy,
    },
    {
      row: `${row}: latency of accepted requests`,
      measured: `${at(0.99).toFixed(0)} ms p99`,
      floor: `${at(0.5).toFixed(0)} ms p50`,
      target: `≤ ${MAX_P99_MS} ms`,
      met: at(0.99) <= MAX_P99_MS,
      busy,
    },
  ]
}

/** Sends a request for a detail at each interval until the signal is aborted, after the other clients have connected. */
async function sample({ url, headers }: Service, works: number, signal: AbortSignal) {
  const sending: Promise<Sample>[] = []
  await sleep(CONNECT_MS)
  while (!signal.aborted) {
    const due = performance.now()
    const id = 1 + Math.floor(Math.random() * works)
    sending.push(sendSample(`${url}/api/v3/open/galgames/${id}`, headers, due))
    await sleep(SAMPLE_MS)
  }
  return Promise.all(sending)
}

async function sendSample(
  url: string,
  headers: Record<string, string>,
  due: number,
): Promise<Sample> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(DEADLINE_MS) })
    await response.arrayBuffer()
    const latency = performance.now() - due
    const { status } = response
    if (status === 200) return { latency, outcome: 'accepted' }
    const isRefused = status === 503 && response.headers.has('retry-after')
    return { latency, outcome: isRefused ? 'refused' : 'failed' }
  } catch {
    return { latency: performance.now() - due, outcome: 'failed' }
  }
}
