import { table } from '../../bin/print.ts'
import { MARKED_FROM, type Busy } from './busy.ts'
import { median, type Comparison, type Round, type Speed } from './rounds.ts'

/** Repeated measurements in chronological order, for the comparison with another commit. */
export type Series = { unit: string; better: 'more' | 'less'; values: number[] }

/** One line of the report, ready to print. */
export type Result = {
  row: string
  measured: string
  floor?: string
  ratio?: string
  /** Ratio of the floor's processor time to the subject's. Undefined if either was not measured. */
  processorRatio?: string | undefined
  /** Missing for informational rows, like `met`. */
  target?: string
  met?: boolean | undefined
  /** Undefined if the system does not report it. */
  busy: Busy | undefined
  series?: Series[]
}

/** Formats the times of single requests, in milliseconds: p95, which has a maximum, and p50. */
export function toLatencyResult(
  row: string,
  times: number[],
  busy: Busy | undefined,
  max: number,
): Result {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Infinity
  return {
    row,
    measured: `${at(0.95).toFixed(1)} ms p95`,
    floor: `${at(0.5).toFixed(1)} ms p50`,
    target: `≤ ${max} ms`,
    met: at(0.95) <= max,
    busy,
    series: [{ unit: 'ms', better: 'less', values: times }],
  }
}

/** Formats a comparison. Without `least` it is informational. */
export function toResult(row: string, { rounds, busy }: Comparison, least?: number): Result {
  const ratio = medianOf(
    rounds,
    ({ floor, subject }) => floor && subject.perSecond / floor.perSecond,
  )
  const processorRatio = medianOf(rounds, processorRatioOf)
  return {
    row,
    measured: describeSpeed(rounds.map(({ subject }) => subject)),
    floor: describeSpeed(rounds.flatMap(({ floor }) => floor ?? [])),
    ratio: ratio?.toFixed(2) ?? '',
    processorRatio: processorRatio?.toFixed(2),
    target: least === undefined ? '' : `≥ ${least.toFixed(2)}`,
    met: least === undefined || ratio === undefined ? undefined : ratio >= least,
    busy,
    series: [
      { unit: '/s', better: 'more', values: rounds.map(({ subject }) => subject.perSecond) },
      {
        unit: 'µs',
        better: 'less',
        values: rounds.flatMap(({ subject }) => timeOf(subject) ?? []),
      },
    ],
  }
}

/** If the floor is a statement, PostgreSQL does most of the work: count its time on both sides or on neither. */
function processorRatioOf({ floor, subject }: Round): number | undefined {
  if (floor?.cpu === undefined || subject.cpu === undefined) return undefined
  if (floor.database === undefined || subject.database === undefined) return floor.cpu / subject.cpu
  return (floor.cpu + floor.database) / (subject.cpu + subject.database)
}

const timeOf = ({ cpu, database = 0 }: Speed) => cpu && cpu + database

function medianOf<Item>(items: Item[], of: (item: Item) => number | undefined): number | undefined {
  const values = items.flatMap((item) => of(item) ?? [])
  return values.length === 0 ? undefined : median(values)
}

function describeSpeed(speeds: Speed[]): string {
  if (speeds.length === 0) return ''
  const times = [medianOf(speeds, ({ cpu }) => cpu), medianOf(speeds, ({ database }) => database)]
    .flatMap((time) => time?.toFixed(1) ?? [])
    .join(' + ')
  const count = Math.round(median(speeds.map(({ perSecond }) => perSecond))).toLocaleString('en')
  return times ? `${count}/s, ${times} µs` : `${count}/s`
}

/** Formats the whole report. */
export function report(results: Result[]): string[] {
  const lines = results.map(
    ({ row, measured, floor, ratio, processorRatio, target, met, busy }) => [
      row,
      measured,
      floor ?? '',
      ratio ?? '',
      processorRatio ?? '',
      target ?? '',
      describeVerdict(met, markOf(busy) !== ''),
      markOf(busy),
    ],
  )
  const head = ['row', 'measured', 'floor', 'ratio', 'CPU', 'target', '', '']
  return [...table([head, ...lines]), '', ...describeBusy(results)]
}

/** On a busy machine, whether a target is met is uncertain. */
function describeVerdict(met: boolean | undefined, isMarked: boolean): string {
  if (met === undefined) return ''
  return `${met ? 'met' : 'missed'}${isMarked ? '?' : ''}`
}

/** Suffix of a row that was measured while the machine had other work. */
export function markOf(busy: Busy | undefined): string {
  return busy && busy.others + busy.stolen >= MARKED_FROM
    ? `busy: ${percent(busy.others + busy.stolen)}`
    : ''
}

/** Explains how reliable the rows are. */
export function describeBusy(results: Pick<Result, 'row' | 'busy'>[]): string[] {
  const measured = results.flatMap(({ row, busy }) => (busy ? { row, ...busy } : []))
  if (measured.length === 0)
    return ['The load by other processes is unknown, because only Linux has /proc.']
  const mean = (of: (busy: Busy) => number) =>
    measured.reduce((sum, busy) => sum + of(busy), 0) / measured.length
  const marked = measured.filter((busy) => markOf(busy) !== '')
  const others = mean(({ others }) => others)
  const shares = [
    `${percent(others)} of the processors were somebody else's`,
    `${percent(mean(({ stolen }) => stolen))} the host's`,
  ]
  const pressure = mean(({ waiting }) => waiting ?? Number.NaN)
  const lines = [
    `While the rows were measured ${shares.join(', ')}.`,
    ...(Number.isNaN(pressure)
      ? []
      : [`For ${percent(pressure)} of the time something, ours or not, waited for a processor.`]),
  ]
  if (marked.length === 0) return [...lines, 'No row is marked: the machine was ours.']
  return [
    ...lines,
    `${marked.length} of ${measured.length} rows are marked "busy", with the share of the processor that other programs used. Their rates are unreliable;`,
    'ratios are better, those of processor time (CPU) best. Measure again on a quiet machine before a figure is written down.',
  ]
}

const percent = (share: number) => `${Math.round(share * 100)} %`
