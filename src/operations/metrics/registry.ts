import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import {
  METRICS,
  type LabelsOf,
  type MetricDefinition,
  type MetricName,
  type NamesOf,
} from './table.ts'

/** A metric with its values, in the form that processes exchange. */
export type Sample = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number]

/** Metrics of this process. A metric appears once part of the program has reported it. */
export type Metrics = ReturnType<typeof openMetrics>

/** Creates the metrics of this process. */
export function openMetrics() {
  const registry = new Registry()
  const collectors: (() => unknown)[] = []
  const counted: (() => Sample)[] = []

  /** Returns the one instrument of a metric. */
  function instrument<Name extends MetricName, Instrument>(
    name: Name,
    create: (definition: MetricDefinition, options: InstrumentOptions<Name>) => Instrument,
  ): Instrument {
    // as: each name has one type, so its instrument was created by the same call
    const known = registry.getSingleMetric(name) as Instrument | undefined
    if (known) return known
    const definition: MetricDefinition = METRICS[name]
    // as: the labels of the same definition
    const labelNames = Object.keys(definition.labels ?? {}) as LabelsOf<Name>[]
    const { about: help, type } = definition
    const aggregator =
      definition.combine ?? (type === 'gauge' || type === 'summary' ? 'max' : 'sum')
    return create(definition, { name, help, labelNames, aggregator, registers: [registry] })
  }

  return {
    counter<Name extends NamesOf<'counter'>>(name: Name) {
      return instrument(name, ({ labels = {} }, options) => {
        const counter = new Counter(options)
        const [only, ...others] = Object.entries(labels)
        // A counter that starts at 0 shows its first increase.
        if (only && others.length === 0 && typeof only[1] !== 'string')
          for (const value of only[1]) counter.labels(value).inc(0)
        return counter
      })
    },
    gauge: <Name extends NamesOf<'gauge' | 'summary'>>(name: Name) =>
      instrument(name, (_definition, options) => new Gauge(options)),
    histogram: <Name extends NamesOf<'histogram'>>(name: Name) =>
      instrument(
        name,
        ({ buckets = [] }, options) => new Histogram({ ...options, buckets: [...buckets] }),
      ),
    /**
     * Returns a function that creates the observers of a histogram, by labels. Each observer only adds to an array,
     * which costs a tenth of what the library's histogram would.
     */
    counts(name: NamesOf<'histogram'>) {
      const series: CountedSeries[] = []
      counted.push(() => sampleOf(name, series))
      return (labels: Record<string, string>): ((value: number) => void) => {
        const buckets: readonly number[] = METRICS[name].buckets
        const counts = new Float64Array(buckets.length + 1)
        const own: CountedSeries = { labels, counts, sum: 0 }
        series.push(own)
        return (value) => {
          let bucket = 0
          while (value > (buckets[bucket] ?? Infinity)) bucket += 1
          counts[bucket] = (counts[bucket] ?? 0) + 1
          own.sum += value
        }
      }
    },
    /** Omits a metric until it is reported again. */
    withdraw: (name: MetricName) => registry.removeSingleMetric(name),
    /** Runs `collector` before each reading of the values, to set those that are not counted as they happen. */
    onCollect(collector: () => unknown) {
      collectors.push(collector)
    },
    /** Returns all values. A collector that fails leaves its metrics as they were. */
    async collect(): Promise<Sample[]> {
      await Promise.allSettled(collectors.map(async (collector) => collector()))
      const samples = await registry.getMetricsAsJSON()
      // The library has no summaries whose quantiles are measured elsewhere.
      for (const sample of samples)
        if (METRICS[sample.name as MetricName].type === 'summary')
          Object.assign(sample, { type: 'summary' })
      return [...samples, ...counted.map((sample) => sample())]
    },
  }
}

/** Counts of each bucket, the last of which has no upper bound. */
type CountedSeries = { labels: Record<string, string>; counts: Float64Array; sum: number }

/** Returns counted series in the form of the library's histograms. */
function sampleOf(name: NamesOf<'histogram'>, series: readonly CountedSeries[]): Sample {
  const { buckets, about } = METRICS[name]
  const values = series.flatMap(({ labels, counts, sum }) => {
    let total = 0
    const bounds = [...buckets, '+Inf']
    return [
      ...bounds.map((le, index) => ({
        metricName: `${name}_bucket`,
        labels: { le, ...labels },
        value: (total += counts[index] ?? 0),
      })),
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: total },
    ]
  })
  // as: the library's types omit the form of histograms
  return { name, help: about, type: 'histogram', aggregator: 'sum', values } as unknown as Sample
}

type InstrumentOptions<Name extends MetricName> = {
  name: Name
  help: string
  labelNames: LabelsOf<Name>[]
  aggregator: 'sum' | 'max'
  registers: Registry[]
}
