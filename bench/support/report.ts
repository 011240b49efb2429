import { table } from '../../bin/print.ts'
import type { Comparison, Speed } from './rounds.ts'

/** One line of the report, ready to print. */
export type Result = {
  row: string
  measured: string
  floor: string
  ratio: string
  target: string
  /** Undefined: for information. */
  met: boolean | undefined
}

/** The line of a comparison; without `least` it is for information. */
export function toResult(row: string, { subject, floor, ratio }: Comparison, least?: number): Result {
  return {
    row,
    measured: perSecond(subject),
    floor: perSecond(floor),
    ratio: ratio.toFixed(2),
    target: least === undefined ? '' : `≥ ${least.toFixed(2)}`,
    met: least === undefined ? undefined : ratio >= least,
  }
}

function perSecond({ perSecond, cpu }: Speed) {
  const count = Math.round(perSecond).toLocaleString('en')
  return cpu === undefined ? `${count}/s` : `${count}/s, ${cpu.toFixed(1)} µs`
}

/** The whole report. */
export function report(results: Result[]): string[] {
  const lines = results.map(({ row, measured, floor, ratio, target, met }) => [
    row,
    measured,
    floor,
    ratio,
    target,
    met === undefined ? '' : met ? 'met' : 'missed',
  ])
  return table([['row', 'measured', 'floor', 'ratio', 'target', ''], ...lines])
}
