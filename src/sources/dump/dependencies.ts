import type { DateText, PartialDateText } from '../records/record-fields.ts'

/**
 * Inputs to a dump's records other than its rows. The reader collects them, so they are complete once the dump has
 * been read.
 */
export class Dependencies {
  /** Date for which the dump is read. */
  readonly today: DateText
  /** First day on which the same dump yields different records, or `undefined` if there is no such day. */
  until: DateText | undefined
  /** True if the records depend on the catalog. */
  includesCatalog = false

  constructor(today: DateText = new Date().toISOString().slice(0, 10)) {
    this.today = today
  }

  /**
   * Returns true if a date is after today. The current month and year are not in the future. The same dump yields
   * different records when the date arrives.
   */
  isFuture(date: PartialDateText): boolean {
    if (date <= this.today.slice(0, date.length)) return false
    const first = `${date}-01-01`.slice(0, 10)
    if (this.until === undefined || first < this.until) this.until = first
    return true
  }
}
