import type { Worker } from 'node:cluster'
import { combineMetrics, cumulative } from '../metrics/combine.ts'
import { measureProcess } from '../metrics/process-metrics.ts'
import { openMetrics, type Sample } from '../metrics/registry.ts'
import type { MonitoringSource, Readiness, Startup } from '../metrics/serve-monitoring.ts'
import type { Answers, Question, ToPrimary, ToWorker } from './messages.ts'

/**
 * Time, in milliseconds, that a worker has to respond. A blocked worker must not delay the metrics of the others for
 * longer.
 */
const MAX_ANSWER_MS = 2_500

type Message = Extract<ToPrimary, { type: 'answer' | 'startup' }>

export type WorkersMonitor = ReturnType<typeof monitorWorkers>

/**
 * Creates the metrics and health checks of a service with workers. The values of the workers are combined. When a
 * worker exits, its counts are added to the sum, so that no counter decreases. Its other values are discarded.
 */
export function monitorWorkers() {
  const metrics = openMetrics()
  measureProcess(metrics)
  const restarts = metrics.counter('mokuroku_worker_restarts_total')
  /** Last counts of each worker that is listening. */
  const counted = new Map<Worker, Sample[]>()
  /** Counts of the workers that have exited: their sum, and those since the last reading. */
  const exited: Sample[][] = []
  let collecting: Promise<Sample[]> | undefined
  let leader: Worker | undefined
  let startup: Startup = { state: 'starting' }

  const waiting = new Map<number, (answer: Answers[Question] | undefined) => void>()
  let lastId = 0

  function ask<Asked extends Question>(
    worker: Worker,
    question: Asked,
  ): Promise<Answers[Asked] | undefined> {
    const { promise, resolve } = Promise.withResolvers<Answers[Question] | undefined>()
    const id = (lastId += 1)
    const timer = setTimeout(() => resolve(undefined), MAX_ANSWER_MS)
    waiting.set(id, resolve)
    const message: ToWorker = { type: 'question', id, question }
    worker.send(message, (error) => error && resolve(undefined))
    const settled = promise.finally(() => {
      clearTimeout(timer)
      waiting.delete(id)
    })
    // as: a worker responds to the query that it received
    return settled as Promise<Answers[Asked] | undefined>
  }

  async function collect(): Promise<Sample[]> {
    const own = await metrics.collect()
    const answers = await Promise.all(
      [...counted.keys()].map(async (worker) => {
        const found = await ask(worker, 'collect')
        if (found && counted.has(worker)) counted.set(worker, cumulative(found))
        return { worker, found }
      }),
    )
    if (exited.length > 1) exited.unshift(await combineMetrics(exited.splice(0)))
    // A worker that has exited in the meantime is included in the sum.
    const live = answers
      .filter(({ worker }) => counted.has(worker))
      .map(({ worker, found }) => found ?? counted.get(worker) ?? [])
    return combineMetrics([own, ...live, ...exited])
  }

  return {
    onListening(worker: Worker) {
      counted.set(worker, [])
    },
    onElected(worker: Worker) {
      leader = worker
      if (startup.state === 'starting') startup = { state: 'running' }
    },
    onExit(worker: Worker) {
      const last = counted.get(worker)
      counted.delete(worker)
      if (leader === worker) leader = undefined
      if (last) exited.push(last)
    },
    onRestart: () => restarts.inc(),
    onStop() {
      startup = { state: 'stopping' }
    },
    onMessage(message: Message) {
      if (message.type === 'answer') waiting.get(message.id)?.(message.answer)
      else if (startup.state === 'starting' && message.startup.state === 'starting')
        startup = message.startup
    },
    startup: () => startup,
    async ready(): Promise<Readiness> {
      const workers = { ok: counted.size > 0, listening: counted.size }
      const found = leader && startup.state === 'running' ? await ask(leader, 'ready') : undefined
      if (!found)
        return {
          status: 'unavailable',
          checks: { startup: { ok: startup.state === 'running', ...startup }, workers },
        }
      return { ...found, checks: { ...found.checks, workers } }
    },
    /** Concurrent scrapes share one reading. */
    collect: () => (collecting ??= collect().finally(() => (collecting = undefined))),
  } satisfies MonitoringSource & Record<string, unknown>
}
