import {
  aliasesOf,
  linksOfInfobox,
  SALE_KEYS,
  workFields,
  type EntryTitles,
  type SerialDates,
} from '../subject-fields.ts'
import type { Context } from '../context.ts'
import { entryDate, fullDate, knownPartOf } from '../infobox/dates.ts'
import type { InfoboxReader } from '../infobox/infobox-reader.ts'
import type { SubjectRow } from '../archive/rows.ts'
import { splitSummary } from '../text.ts'

/** Infobox keys of a book's official site, most specific first. */
export const SITE_KEYS = ['官网', '官方网站', '网站', 'website']

export function bookFields(
  row: SubjectRow,
  titles: EntryTitles,
  infobox: InfoboxReader,
  run: SerialDates,
  context: Context,
) {
  const summary = splitSummary(row.summary)
  const date = entryDate([...run.startValues, ...infobox.values(...SALE_KEYS)], row.date)
  return {
    name: titles.title,
    name_cn: titles.translated,
    other_names: aliasesOf(row, infobox),
    ...workFields(row, context),
    publication_date: fullDate(date),
    publication_date_text: knownPartOf(date),
    summary: summary.original,
    summary_cn: summary.translated,
    external_links: linksOfInfobox(infobox, infobox.officialSite(...SITE_KEYS)),
  }
}
