import { table } from '../../bin/print.ts'
import { MARKED_FROM, type Busy } from './busy.ts'
import { median, type Comparison, type Round, type Speed } from './rounds.ts'

/** What was measured again and again, in the order of time; what another commit is held against. */
export type Series = { unit: string; better: 'more' | 'less'; values: number[] }

/** One line of the report, ready to print. */
export type Result = {
  row: string
  measured: string
  floor: string
  ratio: string
  /** Floor to measured in processor time; missing where one of them has none. */
  processorRatio?: string | undefined
  target: string
  /** Undefined: for information. */
  met: boolean | undefined
  /** Undefined: the system does not say it. */
  busy: Busy | undefined
  series: Series[]
}

/** The line of a comparison; without `least` it is for information. */
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

/** Of a floor that is a statement, PostgreSQL's time is most: it counts on both sides or on neither. */
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

/** The whole report. */
export function report(results: Result[]): string[] {
  const lines = results.map(
    ({ row, measured, floor, ratio, processorRatio, target, met, busy }) => [
      row,
      measured,
      floor,
      ratio,
      processorRatio ?? '',
      target,
      describeVerdict(met, markOf(busy) !== ''),
      markOf(busy),
    ],
  )
  const head = ['row', 'measured', 'floor', 'ratio', 'CPU', 'target', '', '']
  return [...table([head, ...lines]), '', ...describeBusy(results)]
}

/** On a machine that was not ours a target is neither met nor missed for certain. */
function describeVerdict(met: boolean | undefined, isMarked: boolean): string {
  if (met === undefined) return ''
  return `${met ? 'met' : 'missed'}${isMarked ? '?' : ''}`
}

/** What stands at the end of a row that was measured on a machine that had other work. */
export function markOf(busy: Busy | undefined): string {
  return busy && busy.others + busy.stolen >= MARKED_FROM
    ? `busy: ${percent(busy.others + busy.stolen)}`
    : ''
}

/** How much the rows are to be believed. */
export function describeBusy(results: Pick<Result, 'row' | 'busy'>[]): string[] {
  const measured = results.flatMap(({ row, busy }) => (busy ? { row, ...busy } : []))
  if (measured.length === 0)
    return [
      'How busy the machine was with other work cannot be told here: it is read from /proc, which Linux has.',
    ]
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
    `${marked.length} of ${measured.length} rows are marked "busy": so much was not ours. Their rates are not to be relied on;`,
    'ratios are better, those of processor time (CPU) best. Measure again on a quiet machine before a figure is written down.',
  ]
}

const percent = (share: number) => `${Math.round(share * 100)} %`
