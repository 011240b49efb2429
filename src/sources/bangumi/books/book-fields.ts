import {
  aliasesOf,
  linksOfInfobox,
  openInfobox,
  SALE_KEYS,
  serialDatesOf,
  titlesOf,
  workFields,
} from '../subject-fields.ts'
import type { Context } from '../context.ts'
import { CreditReader } from '../credits.ts'
import { bookFacts } from './book-facts.ts'
import { entryDate, fullDate, knownPartOf } from '../infobox/dates.ts'
import { localizedTitles } from '../infobox/localized-titles.ts'
import type { SubjectRow } from '../archive/rows.ts'
import { splitSummary } from '../text.ts'

/** Infobox keys of a book's official site, most specific first. */
export const SITE_KEYS = ['官网', '官方网站', '网站', 'website']

/** Reads a novel or manga, which is a series or a single book. Returns `undefined` for a row without a title. */
export function readBook(row: SubjectRow, context: Context) {
  const titles = titlesOf(row)
  if (!titles) return undefined
  const infobox = openInfobox('subject', row, context)
  const localized = localizedTitles(infobox, titles.title)
  const run = serialDatesOf(infobox)
  const summary = splitSummary(row.summary)
  const date = entryDate([...run.startValues, ...infobox.values(...SALE_KEYS)], row.date)
  const fields = {
    name: titles.title,
    name_cn: titles.translated,
    en_name: localized.english,
    romaji_name: localized.romaji,
    ko_name: localized.korean,
    other_names: aliasesOf(row, infobox),
    ...workFields(row, context),
    publication_date: fullDate(date),
    publication_date_text: knownPartOf(date),
    summary: summary.original,
    summary_cn: summary.translated,
    external_links: linksOfInfobox(infobox, infobox.officialSite(...SITE_KEYS)),
  }
  const credits = new CreditReader(row, infobox, context)
  return {
    infobox,
    run,
    fields,
    credits,
    volumes: context.classification.volumesOf.get(row.id) ?? [],
  }
}

/** Reads a book in a series: its facts, and the fields that all volumes have. */
export function readVolume(row: SubjectRow, context: Context) {
  const infobox = openInfobox('subject', row, context)
  const facts = bookFacts(infobox)
  const date = entryDate(infobox.values(...SALE_KEYS, '开始'), row.date)
  const fields = {
    name: row.name || row.nameCn,
    name_cn: row.nameCn,
    publication_date: fullDate(date),
    publication_date_text: knownPartOf(date),
    page_count: facts.pages,
  }
  return { facts, fields }
}
