import { AggregatorRegistry, Registry } from 'prom-client'
import type { Sample } from './registry.ts'

/** Media types of the two text formats. */
export type Format = 'prometheus' | 'openmetrics'

const TYPES = {
  prometheus: Registry.PROMETHEUS_CONTENT_TYPE,
  openmetrics: Registry.OPENMETRICS_CONTENT_TYPE,
}

/** Combines the metrics of several processes, each in the way that its definition specifies. */
export const combineMetrics = (processes: Sample[][]): Promise<Sample[]> =>
  AggregatorRegistry.aggregate(processes).getMetricsAsJSON()

/** Returns metrics as text, with the media type of that format. */
export async function format(
  metrics: Sample[],
  to: Format,
): Promise<{ type: string; text: string }> {
  // The library appends the OpenMetrics suffix itself.
  const named =
    to === 'openmetrics'
      ? metrics.map((metric) => ({ ...metric, name: metric.name.replace(/_total$/, '') }))
      : metrics
  const registry = AggregatorRegistry.aggregate([named])
  registry.setContentType(TYPES[to])
  return { type: TYPES[to], text: await registry.metrics() }
}

/** Returns the metrics that only grow. They outlive the process that counted them, so that sums never shrink. */
export const cumulative = (metrics: Sample[]): Sample[] =>
  // as: prom-client declares the type as a number and sends its name
  metrics.filter(({ type }) => ['counter', 'histogram'].includes(type as unknown as string))
