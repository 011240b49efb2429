import type { DumpTable } from '../dump.ts'
import { DumpError } from '../dump-error.ts'

/**
 * Rejects a header that names a column twice. Callers run this before they look for missing columns, because a repeated
 * name usually replaces the missing one.
 *
 * @throws {DumpError}
 */
export function requireDistinctColumns({ place, columns }: DumpTable): void {
  const repeated = columns.find((column, at) => columns.indexOf(column) < at)
  if (repeated !== undefined) throw new DumpError(`${place} names the column ${repeated} twice`)
}
