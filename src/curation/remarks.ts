import type { Language } from '../i18n/languages.ts'
import { printableWithin } from '../kernel/printable.ts'
import { remarkText, type ImportRemark } from '../sources/records/import-remark.ts'
import type { ImportReport } from '../sources/records/record.ts'

/** A remark as it is kept. Runs of earlier versions have kept its English sentence instead of its code. */
export type Remark = (ImportRemark | { remark: string }) & {
  count: number
  example: string | undefined
}

/** @param kindName what a kind of records is called */
export const textOfRemark = (
  language: Language,
  remark: ImportRemark | { remark: string },
  kindName: (kind: string) => string = (kind) => kind,
): string => {
  if ('remark' in remark) return remark.remark
  const { kind } = remark.params ?? {}
  return remarkText(
    language,
    kind === undefined
      ? remark
      : { ...remark, params: { ...remark.params, kind: kindName(String(kind)) } },
  )
}

/** Characters of an example, and of a value that a remark names: either may be a whole row of a file. */
const MAX_EXAMPLE = 200
const MAX_VALUE = 100
/** Different remarks that are told apart, far more than there are: some name what a file says. */
const MOST = 200
const OTHER: ImportRemark = { code: 'other' }

/**
 * A report that counts what is noted, the most frequent first.
 *
 * @param noted before
 */
export function collectRemarks(noted: readonly Remark[] = []): {
  report: ImportReport
  remarks(): Remark[]
} {
  const counted = new Map(noted.map((remark) => [textOfRemark('en', remark), remark]))
  return {
    report: {
      note(remark, example) {
        const said = bounded(remark)
        const told = counted.has(textOfRemark('en', said)) || counted.size < MOST ? said : OTHER
        const line = textOfRemark('en', told)
        const before = counted.get(line)
        counted.set(line, {
          ...told,
          count: (before?.count ?? 0) + 1,
          example:
            before?.example ??
            (example === undefined ? undefined : printableWithin(MAX_EXAMPLE, example)),
        })
      },
    },
    remarks: () =>
      [...counted]
        .toSorted(([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1))
        .map(([, remark]) => remark),
  }
}

/** The remark without what of a file is too long or cannot be printed. */
const bounded = ({ code, params }: ImportRemark): ImportRemark => ({
  code,
  ...(params && {
    params: Object.fromEntries(
      Object.entries(params).map(([name, value]) => [
        name,
        typeof value === 'string' ? printableWithin(MAX_VALUE, value) : value,
      ]),
    ),
  }),
})
