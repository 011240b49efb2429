import type { Language } from '../i18n/languages.ts'
import { printableWithin } from '../kernel/printable.ts'
import { remarkText, type ImportRemark } from '../sources/records/import-remark.ts'
import type { ImportReport } from '../sources/records/record.ts'

/** A stored remark. Earlier versions stored the English text instead of a code. */
export type Remark = (ImportRemark | { remark: string }) & {
  count: number
  example: string | undefined
}

/** @param kindName returns the display name of a kind of record */
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

/** Maximum length, in characters, of an example or of a value in a remark. Either may be a whole row of a file. */
const MAX_EXAMPLE_LENGTH = 200
const MAX_VALUE_LENGTH = 100
/** Maximum number of distinct remarks. Some remarks contain text from the file. */
const MAX_REMARKS = 200
const OTHER: ImportRemark = { code: 'other' }

/**
 * Returns a report that counts remarks, and a function that lists them, most frequent first.
 *
 * @param previous remarks from an earlier run
 */
export function collectRemarks(previous: readonly Remark[] = []): {
  report: ImportReport
  remarks(): Remark[]
} {
  const counted = new Map(previous.map((remark) => [textOfRemark('en', remark), remark]))
  return {
    report: {
      note(remark, example) {
        const truncated = truncateParams(remark)
        const counting =
          counted.has(textOfRemark('en', truncated)) || counted.size < MAX_REMARKS
            ? truncated
            : OTHER
        const line = textOfRemark('en', counting)
        const before = counted.get(line)
        counted.set(line, {
          ...counting,
          count: (before?.count ?? 0) + 1,
          example:
            before?.example ??
            (example === undefined ? undefined : printableWithin(MAX_EXAMPLE_LENGTH, example)),
        })
      },
    },
    remarks: () =>
      [...counted]
        .toSorted(([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1))
        .map(([, remark]) => remark),
  }
}

/** Truncates the parameters of a remark and removes unprintable characters. */
const truncateParams = ({ code, params }: ImportRemark): ImportRemark => ({
  code,
  ...(params && {
    params: Object.fromEntries(
      Object.entries(params).map(([name, value]) => [
        name,
        typeof value === 'string' ? printableWithin(MAX_VALUE_LENGTH, value) : value,
      ]),
    ),
  }),
})
