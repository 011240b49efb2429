import { readdir } from 'node:fs/promises'
import {
  constants,
  monitorEventLoopDelay,
  performance,
  PerformanceObserver,
  type PerformanceEntry,
} from 'node:perf_hooks'
import { findOpenFilesLimit } from '../connection-limits.ts'
import type { Metrics } from './registry.ts'

/** Interval, in milliseconds, at which the delay of the event loop is measured. */
const DELAY_RESOLUTION_MS = 20

const QUANTILES = ['0.5', '0.9', '0.99'] as const

const GC_TYPES = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
])

type GcEntry = PerformanceEntry & { detail: { kind: number } }

/** Reports the event loop, memory and descriptors of this process. */
export function measureProcess(metrics: Metrics) {
  const collections = metrics.histogram('v8js_gc_duration_seconds')
  new PerformanceObserver((list) => {
    // as: entries of this type have a detail, which the types omit
    for (const { duration, detail } of list.getEntries() as GcEntry[]) {
      collections.labels(GC_TYPES.get(detail.kind) ?? 'major').observe(duration / 1_000)
    }
  }).observe({ entryTypes: ['gc'] })

  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS })
  delay.enable()
  let lastUtilization = performance.eventLoopUtilization()
  const maxOpenFiles = findOpenFilesLimit()
  const cpuSeconds = metrics.counter('process_cpu_seconds_total')

  metrics.onCollect(async () => {
    for (const quantile of QUANTILES) {
      // The histogram measures the time between two timers.
      const seconds = delay.percentile(Number(quantile) * 100) / 1e9 - DELAY_RESOLUTION_MS / 1_000
      metrics.gauge('nodejs_eventloop_delay_seconds').labels(quantile).set(Math.max(0, seconds))
    }
    delay.reset()
    const utilization = performance.eventLoopUtilization()
    metrics
      .gauge('nodejs_eventloop_utilization')
      .set(performance.eventLoopUtilization(utilization, lastUtilization).utilization)
    lastUtilization = utilization
    const { user, system } = process.cpuUsage()
    cpuSeconds.reset()
    cpuSeconds.inc((user + system) / 1e6)
    const { heapUsed, rss } = process.memoryUsage()
    metrics.gauge('v8js_memory_heap_used_bytes').set(heapUsed)
    metrics.gauge('process_resident_memory_bytes').set(rss)
    if (Number.isFinite(maxOpenFiles)) metrics.gauge('process_max_fds').set(maxOpenFiles)
    // Only Linux has this folder.
    metrics.gauge('process_open_fds').set((await readdir('/proc/self/fd')).length)
  })
}
