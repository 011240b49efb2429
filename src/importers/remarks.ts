import type { ImportReport } from './record.ts'

export type Remark = { remark: string; count: number; example: string | undefined }

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
        const known = counted.get(remark)
        counted.set(remark, { count: (known?.count ?? 0) + 1, example: known?.example ?? example })
      },
    },
    remarks: () =>
      [...counted]
        .map(([remark, { count, example }]) => ({ remark, count, example }))
        .toSorted((a, b) => b.count - a.count || (a.remark < b.remark ? -1 : 1)),
  }
}
