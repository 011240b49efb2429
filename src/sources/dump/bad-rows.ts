import { catalogue, type Coded } from '../../i18n/catalogue.ts'
import type reasonsInEnglish from '../../i18n/locales/en/api-bad-rows.json'
import type { ImportReport } from '../records/record.ts'
import { DumpError } from './dump-error.ts'
import { UnknownValues } from './unknown-values.ts'

/** Maximum number or share of a table's rows that may be skipped as unreadable. */
export type BadRowLimit = { text: string } & ({ rows: number } | { share: number })

export const DEFAULT_BAD_ROWS: BadRowLimit = { text: '0.1%', share: 0.001 }

/** Number of leading rows. If all of them are bad, the dump is rejected immediately. */
const MAX_LEADING_BAD_ROWS = 10

const MAX_NAMED_PLACES = 3

export type BadRowReason = Coded<keyof typeof reasonsInEnglish>

const NOT_UTF8: BadRowReason = { code: 'not_utf8' }
const reasonText = catalogue<keyof typeof reasonsInEnglish>('api-bad-rows')

/**
 * Parses a limit.
 *
 * @returns undefined if the string is neither a number of rows nor a share such as `0.1%`
 */
export function parseBadRowLimit(text: string): BadRowLimit | undefined {
  const [, share] = /^(\d{1,3}(?:\.\d{1,9})?)%$/.exec(text) ?? []
  if (share !== undefined)
    return Number(share) <= 100 ? { text, share: Number(share) / 100 } : undefined
  return /^\d{1,9}$/.test(text) ? { text, rows: Number(text) } : undefined
}

/** Counts the unreadable rows of a dump. Tables that are read twice are counted only once. */
export class BadRows {
  readonly #limit: BadRowLimit
  readonly #report: ImportReport
  readonly #done = new Set<string>()
  found = false

  constructor(report: ImportReport, limit = DEFAULT_BAD_ROWS) {
    this.#limit = limit
    this.#report = report
  }

  counterFor(table: string, location: string) {
    const limit = this.#limit
    const isNew = !this.#done.has(table)
    const places: string[] = []
    const reasons = new Map<string, BadRowReason>()
    const unknown = new UnknownValues(table, isNew ? this.#report : undefined)
    let goodRows = 0
    let badRows = 0
    const refusal = (reason: string) =>
      new DumpError(
        `${location}: ${reason} (${[...reasons.keys()].join('; ')}), where --max-bad-rows is ${limit.text}: ` +
          `${places.join(', ')}${badRows > places.length ? ' and others' : ''}.${hint(reasons)}`,
      )
    return {
      good: () => void (goodRows += 1),
      /** @throws {DumpError} if the limit is exceeded */
      bad: (line: number, reason: BadRowReason = NOT_UTF8) => {
        badRows += 1
        this.found = true
        reasons.set(reasonText('en', reason), reason)
        if (places.length < MAX_NAMED_PLACES) places.push(`${location}:${line}`)
        if (isNew)
          this.#report.note(
            { code: 'row.unreadable', params: { ...reason.params, reason: reason.code } },
            `${location}:${line}`,
          )
        if (goodRows === 0 && badRows === MAX_LEADING_BAD_ROWS)
          throw refusal(`none of the first ${badRows} rows can be read`)
        if ('rows' in limit && badRows > limit.rows)
          throw refusal(`${badRows} of the first ${goodRows + badRows} rows cannot be read`)
      },
      /** Counts an unknown value, which is `undefined` if the row lacks the column. The row still counts as valid. */
      unknown: (column: string, value: string | undefined, example: string) =>
        unknown.add(column, value, example),
      /** @throws {DumpError} if too many rows were skipped, or too many have unknown values in one column */
      end: () => {
        this.#done.add(table)
        const refused = unknown.refusal(
          goodRows + badRows,
          'rows' in limit ? limit.rows : limit.share * (goodRows + badRows),
        )
        if (refused !== undefined) throw new DumpError(`${location}: ${refused}.${UNKNOWN_HINT}`)
        if (badRows === 0) return
        if (goodRows === 0 || ('share' in limit && badRows > (goodRows + badRows) * limit.share))
          throw refusal(`${badRows} of ${goodRows + badRows} rows cannot be read`)
      },
    }
  }
}

const UNKNOWN_HINT =
  ' Nothing was imported. Check that the column names belong to this dump and update mokuroku; ' +
  'to import without these values, raise --max-bad-rows.'

const hint = (reasons: Map<string, BadRowReason>) =>
  [...reasons.values()].some(({ code }) => code === NOT_UTF8.code)
    ? ' Dumps are in UTF-8. Convert a file in another encoding, such as GBK or SHIFT_JIS, with iconv; otherwise download the dump again.'
    : ''
