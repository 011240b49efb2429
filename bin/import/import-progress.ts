import type { ImportPhase, ImportProgress } from '../../src/sources/records/progress.ts'
import { IMPORT_PHASES, MAIN_PHASES } from '../../src/sources/records/progress.ts'

/** Figures from the source's last import, used to estimate this one. */
export type Expectation = { records: number; phaseSeconds: Partial<Record<ImportPhase, number>> }

export type ProgressOptions = {
  /** Prefix of each line. */
  name: string
  write: (text: string) => void
  /** Whether to redraw one line in place. Otherwise new lines are printed, less often. */
  isTerminal: boolean
  /** Clock, in milliseconds. */
  now?: () => number
}

/** Minimum time, in milliseconds, between lines, and between redraws on a terminal. */
const LINE_INTERVAL_MS = 10_000
const REDRAW_INTERVAL_MS = 200

const BAR_CHARACTERS = 24

/**
 * Maximum ratio of the number of records in this import to that in the last import. Above it, the last durations
 * predict nothing.
 */
const MAX_RECORDS_RATIO = 1.2

/**
 * Shows how far an import is, how fast it runs, and the time left. The estimate uses the phase durations of the
 * source's last import. It is omitted if this import reads many more records than that one.
 */
export function showProgress({
  name,
  write,
  isTerminal,
  now = () => performance.now(),
}: ProgressOptions) {
  let latest: ImportProgress | undefined
  let phaseBegan = now()
  let lastDrawnAt = isTerminal ? -Infinity : now()
  let hasDrawn = false
  let expected: Expectation | undefined

  function draw() {
    if (!latest) return
    lastDrawnAt = now()
    const line = `${name}: ${describeProgress(latest, (now() - phaseBegan) / 1000, expected, isTerminal)}`
    write(isTerminal ? `\r${line}\u001B[K` : `${line}\n`)
    hasDrawn = true
  }
  const drawIfDue = () => {
    if (now() - lastDrawnAt >= (isTerminal ? REDRAW_INTERVAL_MS : LINE_INTERVAL_MS)) draw()
  }
  // A single database statement may run longer than the interval.
  const timer = setInterval(drawIfDue, 1000).unref()

  return {
    expect: (expectation: Expectation | undefined) => void (expected = expectation),
    update(progress: ImportProgress) {
      if (progress.phase !== latest?.phase) phaseBegan = now()
      if (
        progress.phase === 'reading' &&
        expected &&
        progress.done > expected.records * MAX_RECORDS_RATIO
      )
        expected = undefined
      latest = progress
      drawIfDue()
    },
    end() {
      clearInterval(timer)
      if (!isTerminal || !hasDrawn) return
      draw()
      write('\n')
    },
  }
}

/**
 * Formats one line of progress.
 *
 * @param seconds time since the phase began
 */
export function describeProgress(
  { phase, done, total, unit }: ImportProgress,
  seconds: number,
  expected: Expectation | undefined,
  withBar: boolean,
): string {
  const all = total ?? (phase === 'reading' ? expected?.records : undefined)
  const share = all === undefined || all === 0 ? undefined : Math.min(1, done / all)
  const rate = seconds > 0 ? done / seconds : 0
  const remaining = secondsLeft({ phase, share, unit }, seconds, expected)
  const count =
    all === undefined
      ? number(done)
      : `${number(done)} of ${total === undefined ? 'about ' : ''}${number(all)}`
  return [
    ...(withBar && share !== undefined
      ? [`${phase.padEnd(9)} ${bar(share)} ${String(Math.floor(share * 100)).padStart(3)} %`]
      : [phase]),
    `${count} ${unit}`,
    ...(unit !== 'steps' && rate > 0 ? [`${number(rate)}/s`] : []),
    ...(remaining === undefined ? [] : [`${duration(remaining)} left`]),
  ].join(', ')
}

/**
 * Returns the time left in this phase and the later ones, assuming that each takes as long as in the last import.
 * Progress by steps is not used, because steps differ in length. Returns `undefined` if a duration is unknown or this
 * phase has already taken longer than last time.
 */
function secondsLeft(
  { phase, share, unit }: Pick<ImportProgress, 'phase' | 'unit'> & { share: number | undefined },
  seconds: number,
  expected: Expectation | undefined,
): number | undefined {
  const before = expected?.phaseSeconds ?? {}
  const last = before[phase]
  const secondsLeftInPhase =
    share !== undefined && share > 0 && unit !== 'steps'
      ? (seconds / share) * (1 - share)
      : last === undefined || last < seconds
        ? undefined
        : last - seconds
  if (secondsLeftInPhase === undefined) return undefined
  const later = IMPORT_PHASES.slice(IMPORT_PHASES.indexOf(phase) + 1)
  const main: readonly ImportPhase[] = MAIN_PHASES
  const areKnown = later.every((item) => before[item] !== undefined || !main.includes(item))
  return areKnown
    ? secondsLeftInPhase + later.reduce((sum, one) => sum + (before[one] ?? 0), 0)
    : undefined
}

const number = (value: number) => Math.round(value).toLocaleString('en')

const bar = (share: number) => {
  const full = Math.round(share * BAR_CHARACTERS)
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_CHARACTERS - full)}]`
}

/** Formats a duration as `40 s`, `3 min` or `2 h 5 min`. */
function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 90) return `${whole} s`
  const minutes = Math.ceil(whole / 60)
  if (minutes < 90) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
