import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const FILE = fileURLToPath(new URL('../durations.json', import.meta.url))

/** Returns the last recorded duration of each test file, in seconds, keyed by its path from the project root. */
export type Durations = Record<string, number>

export function readDurations(): Durations {
  // as: `recordDurations` writes it
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Durations) : {}
}

/** Records the durations of a whole run. */
export function recordDurations(durations: Durations) {
  const byName = Object.entries(durations)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([file, seconds]) => [file, Math.round(seconds * 10) / 10])
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(byName), undefined, 2)}\n`)
}

/**
 * Sorts files without a recorded duration first, then the longest first, so that all cores finish at about the same
 * time.
 */
export const longestFirst = (files: string[], known: Durations): string[] =>
  files.toSorted((a, b) => (known[b] ?? Infinity) - (known[a] ?? Infinity) || (a < b ? -1 : 1))

/** Formats the ten slowest files, one per line. */
export const formatSlowest = (durations: Durations): string =>
  Object.entries(durations)
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, 10)
    .map(([file, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${file}`)
    .join('\n')
