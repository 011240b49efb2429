/** What an import does, in its order. */
export const IMPORT_PHASES = [
  'fetching',
  'waiting',
  'reading',
  'comparing',
  'deriving',
  'indexing',
  'asking',
] as const
export type ImportPhase = (typeof IMPORT_PHASES)[number]

/** How far an import is: `done` of `total` in a phase, of which there may be no saying how much there is to do. */
export type ImportProgress = {
  phase: ImportPhase
  done: number
  total: number | undefined
  /** What is counted. */
  unit: 'MiB' | 'records' | 'steps' | 'entries' | 'pictures'
}
