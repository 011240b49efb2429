/** Phases of every import that changes something, in order. */
export const MAIN_PHASES = [
  'staging',
  'reading',
  'comparing',
  'joining',
  'deriving',
  'indexing',
] as const
/** All phases of an import, in order. */
export const IMPORT_PHASES = ['fetching', 'checking', 'waiting', ...MAIN_PHASES, 'asking'] as const
export type ImportPhase = (typeof IMPORT_PHASES)[number]

/** Progress of an import: `done` of `total` within a phase. The total may be unknown. */
export type ImportProgress = {
  phase: ImportPhase
  done: number
  total: number | undefined
  unit: 'MiB' | 'rows' | 'records' | 'steps' | 'entries' | 'pictures'
}

/** Called with the number of rows read so far. A table that is read twice counts twice. */
export type OnRows = (rows: number) => void
