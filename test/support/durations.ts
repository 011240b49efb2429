import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const FILE = fileURLToPath(new URL('../durations.json', import.meta.url))

/** Seconds that each test file took when they were last recorded, by its path from the root of the project. */
export type Durations = Record<string, number>

export function readDurations(): Durations {
  // as: `recordDurations` writes it
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Durations) : {}
}

/** Keeps the durations of a whole run for the next ones. */
export function recordDurations(durations: Durations) {
  const byName = Object.entries(durations)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([file, seconds]) => [file, Math.round(seconds * 10) / 10])
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(byName), undefined, 2)}\n`)
}

/** The longest first, so that no core waits at the end for the other; before them the files nobody knows yet. */
export const longestFirst = (files: string[], known: Durations): string[] =>
  files.toSorted(
    (one, other) => (known[other] ?? Infinity) - (known[one] ?? Infinity) || (one < other ? -1 : 1),
  )

/** The ten files that took longest, a line for each. */
export const tellSlowest = (durations: Durations): string =>
  Object.entries(durations)
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, 10)
    .map(([file, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${file}`)
    .join('\n')
