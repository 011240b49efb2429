import { examine, type CheckResult, type ExamineOptions } from './examine.ts'

/** Time, in milliseconds, for which a result is reused. */
const REUSE_MS = 30_000

export type Examination = { results: CheckResult[]; at: Date }

/**
 * Returns a function that runs the checks at most once every 30 seconds, however many pages request them.
 *
 * @param run for tests
 */
export function recentExamination(
  options: () => ExamineOptions,
  run: typeof examine = examine,
): () => Promise<Examination> {
  let latest: Promise<Examination> | undefined
  let startedAt = -Infinity
  return () => {
    if (latest && performance.now() - startedAt < REUSE_MS) return latest
    startedAt = performance.now()
    latest = run(options()).then((results) => ({ results, at: new Date() }))
    return latest
  }
}
