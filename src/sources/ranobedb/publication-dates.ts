import { fullDay, partialDate } from '../dump/tables/copy-text.ts'

/** A date as the fields that hold it: to the day, or what is known of it. */
export type PublicationDates = {
  publication_date: string | null
  publication_date_text: string | null
}

/**
 * The first of some columns that is known to the day, else as much as the first of them tells.
 *
 * @param columns numbers YYYYMMDD, 99 for what is not known
 */
export function publicationDates(...columns: (string | null)[]): PublicationDates {
  const day = columns.map(fullDay).find((date) => date !== null) ?? null
  const parts = day === null ? columns.map(partialDate) : []
  return {
    publication_date: day,
    publication_date_text: parts.find((date) => date !== null) ?? null,
  }
}
