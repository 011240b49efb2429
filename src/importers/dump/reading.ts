import type { ImportReport } from '../record.ts'
import type { BadRows } from './bad-rows.ts'
import type { Dump } from './dump.ts'

/** A dump while it is read: what is in it, and who is told what is not. */
export type DumpReading = { dump: Dump; report: ImportReport; badRows: BadRows }
