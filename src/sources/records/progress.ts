/** Phases of every import that changes something, in their order. */
export const MAIN_PHASES = [
  'staging',
  'reading',
  'comparing',
  'joining',
  'deriving',
  'indexing',
] as const
/** What an import does, in its order. */
export const IMPORT_PHASES = ['fetching', 'checking', 'waiting', ...MAIN_PHASES, 'asking'] as const
export type ImportPhase = (typeof IMPORT_PHASES)[number]

/** How far an import is: `done` of `total` in a phase, of which there may be no saying how much there is to do. */
export type ImportProgress = {
  phase: ImportPhase
  done: number
  total: number | undefined
  /** What is counted. */
  unit: 'MiB' | 'rows' | 'records' | 'steps' | 'entries' | 'pictures'
}

/** Called as the tables of a dump are read, with how many rows so far; one that is read twice counts twice. */
export type OnRows = (rows: number) => void

/** Tells of the rows of tables until there is a first record, then of records. */
export function tellReading(onProgress: (progress: ImportProgress) => void) {
  let hasRecords = false
  return {
    onRows(done: number) {
      if (!hasRecords) onProgress({ phase: 'staging', done, total: undefined, unit: 'rows' })
    },
    onRecords(done: number) {
      hasRecords = true
      onProgress({ phase: 'reading', done, total: undefined, unit: 'records' })
    },
  }
}
