import type { ImportReport } from '../records/record.ts'

/** Maximum share of a table's rows that may have an unknown value in the same column. */
const MAX_UNKNOWN_SHARE = 0.05
/** Number of such rows that is always allowed, because a share means little in a small table. */
const MAX_UNKNOWN_ROWS = 5
/** Maximum number of distinct unknown values named per column. A column of free text would have one per row. */
const MAX_NAMED = 20

export class UnknownValues {
  readonly #table: string
  readonly #report: ImportReport
  readonly #columns = new Map<string, { count: number; values: Set<string> }>()

  /** @param report undefined for a table that is read a second time */
  constructor(table: string, report: ImportReport | undefined) {
    this.#table = table
    this.#report = report ?? { note: () => {} }
  }

  /** @param value undefined if the row lacks the column */
  add(column: string, value: string | undefined, example: string): void {
    const found = this.#columns.getOrInsertComputed(column, () => ({ count: 0, values: new Set() }))
    found.count += 1
    if (value === undefined)
      return this.#report.note(
        { code: 'value.missing', params: { column: `${this.#table}.${column}` } },
        example,
      )
    if (found.values.size < MAX_NAMED) found.values.add(value)
    const named = found.values.has(value) ? value : 'others'
    this.#report.note(
      { code: 'value.unknown', params: { column: `${this.#table}.${column}`, value: named } },
      example,
    )
  }

  /**
   * Describes a column with too many unknown values. They suggest that the column has changed its meaning or that the
   * header belongs to another dump.
   *
   * @param rows number of rows in the table
   * @param allowed number of rows that the operator allows
   * @returns undefined if no column exceeds the limit
   */
  refusal(rows: number, allowed: number): string | undefined {
    const limit = Math.max(rows * MAX_UNKNOWN_SHARE, MAX_UNKNOWN_ROWS, allowed)
    for (const [column, { count, values }] of this.#columns) {
      if (count <= limit) continue
      if (values.size === 0) return `${count} of ${rows} rows lack ${column}`
      const named = [...values].slice(0, 3).map((value) => JSON.stringify(value.slice(0, 30)))
      return `${count} of ${rows} rows have an unknown value in ${column}, such as ${named.join(', ')}`
    }
    return undefined
  }
}
