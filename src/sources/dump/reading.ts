import type { ImportReport } from '../records/record.ts'
import type { BadRows } from './bad-rows.ts'
import type { Dependence } from './dependence.ts'
import type { Dump } from './dump.ts'

/** A dump while it is read: what is in it, and who is told what is not, and what its records depend on besides. */
export type DumpReading = {
  dump: Dump
  report: ImportReport
  badRows: BadRows
  dependence: Dependence
}
