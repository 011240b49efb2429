import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#test/free-port.ts'
import { watchMachine } from './support/busy.ts'
import type { Claim } from './support/claim.ts'
import type { Catalog } from './support/catalog.ts'
import { pinApart } from './support/pin.ts'
import { treeTime } from './support/processor-time.ts'
import type { Result } from './support/report.ts'
import { median } from './support/rounds.ts'
import type { Service } from './support/service.ts'
import type { Stage } from './support/stage.ts'
import { wrk } from './support/wrk.ts'

const CLIENTS = 64
/** Load relative to the capacity. */
const TIMES = 3
/** Mean pause, in milliseconds, of a client between a response and its next request. */
const PAUSE_MS = 100
/** Interval, in milliseconds, of the requests whose latency is measured. */
const SAMPLE_MS = 10
/** Time, in milliseconds, in which the clients connect. Nothing is measured then. */
const CONNECT_MS = 5_000
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
  const metrics = `127.0.0.1:${await freePort()}`
  const service = await stage.serve(catalog, {
    CATALOG_CACHE_MIB: '0',
    METRICS_ADDRESS: metrics,
    ...settings,
  })
  const database = await stage.databasePids()
  const unpin = await pinApart(stage.children, [service.pid, ...database])
  const load = { url: service.url, headers: service.headers, mix: catalog.works }
  const seconds = stage.seconds * 4

  /** Measures a load while it runs: accepted requests per second, and processor time per accepted request. */
  async function measure<Outcome>(during: () => Promise<Outcome>) {
    const read = async () => ({
      at: performance.now(),
      accepted: await countAccepted(metrics),
      cpu: (treeTime(service.pid) ?? NaN) + ((await stage.databaseTime()) ?? NaN),
    })
    const before = await read()
    const outcome = await during()
    const after = await read()
    const accepted = after.accepted - before.accepted
    return {
      outcome,
      perSecond: (accepted / (after.at - before.at)) * 1_000,
      cpu: (after.cpu - before.cpu) / accepted,
    }
  }
  async function measureUndisturbed() {
    const running = wrk(stage.children, { ...load, seconds: seconds + 1, connections: CLIENTS })
    // Until wrk has started and its clients are connected.
    await sleep(500)
    const undisturbed = await measure(() => sleep(seconds * 1_000))
    await running
    return undisturbed
  }
  await measureUndisturbed()
  const endWatch = watchMachine()
  const capacities: number[] = []
  const accepted: number[] = []
  const processorRatios: number[] = []
  const samples: Sample[] = []
  let allRefused = 0
  for (let round = 0; round < stage.rounds; round += 1) {
    const undisturbed = await measureUndisturbed()
    capacities.push(undisturbed.perSecond)
    const running = wrk(stage.children, {
      ...load,
      // Longer than the sample, whose last request may take as long as its deadline, and its preparation a second.
      seconds: (CONNECT_MS + DEADLINE_MS) / 1_000 + seconds + 1,
      connections: Math.round((Math.max(...capacities) * TIMES * PAUSE_MS) / 1_000),
      think: PAUSE_MS,
      timeout: DEADLINE_MS / 1_000,
      mayRefuse: true,
    })
    await sleep(CONNECT_MS)
    const overloaded = await measure(() => sample(service, catalog.works, seconds))
    samples.push(...overloaded.outcome)
    accepted.push(overloaded.perSecond)
    processorRatios.push(undisturbed.cpu / overloaded.cpu)
    allRefused += (await running).refused
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

/** Returns the number of requests that the service has accepted since its start. */
async function countAccepted(metrics: string): Promise<number> {
  const response = await fetch(`http://${metrics}/metrics`)
  const counts = (await response.text()).matchAll(
    /^http_server_request_duration_seconds_count\{[^}]*status_code="200"[^}]*\} (\d+)$/gm,
  )
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}

/** Sends a request for a detail at each interval for the given number of seconds. */
async function sample({ url, headers }: Service, works: number, seconds: number) {
  const sending: Promise<Sample>[] = []
  const end = performance.now() + seconds * 1_000
  while (performance.now() < end) {
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
