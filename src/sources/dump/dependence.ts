import type { DateText, PartialDateText } from '../records/record-fields.ts'

/** What the records of a dump depend on besides its rows: noted by its reader, and known once it was read. */
export class Dependence {
  /** The day on which the dump is read. */
  readonly today: DateText
  #until: DateText | undefined
  #onCatalog = false

  constructor(today: DateText = new Date().toISOString().slice(0, 10)) {
    this.today = today
  }

  /**
   * Whether a date lies wholly after today; a month or year that holds the day does not. On the day on which it has come
   * the dump says something else.
   */
  isToCome(date: PartialDateText): boolean {
    if (date <= this.today.slice(0, date.length)) return false
    const first = `${date}-01-01`.slice(0, 10)
    if (this.#until === undefined || first < this.#until) this.#until = first
    return true
  }

  /** Notes that a record depends on what the catalog has. */
  noteCatalog(): void {
    this.#onCatalog = true
  }

  /** The first day on which the same dump says something else; undefined: never. */
  get until(): DateText | undefined {
    return this.#until
  }

  get onCatalog(): boolean {
    return this.#onCatalog
  }
}
