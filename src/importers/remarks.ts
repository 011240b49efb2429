import { printableWithin } from '../kernel/printable.ts'
import type { ImportReport } from './record.ts'

export type Remark = { remark: string; count: number; example: string | undefined }

/** Characters of a remark and of an example, which may be all that a row says. */
const LONGEST = 200
/** Different remarks that are told apart, far more than there are: some name what a file says. */
const MOST = 200
const OTHER = 'other remarks'

/**
 * A report that counts what is noted, the most frequent first.
 *
 * @param noted before
 */
export function collectRemarks(noted: readonly Remark[] = []): { report: ImportReport; remarks(): Remark[] } {
  const counted = new Map(noted.map(({ remark, count, example }) => [remark, { count, example }]))
  return {
    report: {
      note(remark, example) {
        const line = printableWithin(LONGEST, remark)
        const told = counted.has(line) || counted.size < MOST ? line : OTHER
        const { count, example: first } = counted.get(told) ?? { count: 0, example: undefined }
        counted.set(told, {
          count: count + 1,
          example: first ?? (example === undefined ? undefined : printableWithin(LONGEST, example)),
        })
      },
    },
    remarks: () =>
      [...counted]
        .map(([remark, { count, example }]) => ({ remark, count, example }))
        .toSorted((a, b) => b.count - a.count || (a.remark < b.remark ? -1 : 1)),
  }
}
