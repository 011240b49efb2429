import type { ImportPhase, ImportProgress } from '../../sources/records/progress.ts'

/** Measures the duration of each phase of an import from its progress reports. */
export function startPhaseClock(
  onProgress: (progress: ImportProgress) => void,
  now = () => performance.now(),
) {
  const seconds: Partial<Record<ImportPhase, number>> = {}
  let phase: ImportPhase = 'waiting'
  let since = now()
  const settle = () => {
    seconds[phase] = (seconds[phase] ?? 0) + Math.round(now() - since) / 1000
    since = now()
  }
  return {
    onProgress(progress: ImportProgress) {
      if (progress.phase !== phase) {
        settle()
        phase = progress.phase
      }
      onProgress(progress)
    },
    phaseSeconds() {
      settle()
      return { ...seconds }
    },
  }
}
