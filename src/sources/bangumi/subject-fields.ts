import type { CharacterRole, PublicationStatus } from '../../catalog/enums.ts'
import { distinctBy } from '../../kernel/distinct-by.ts'
import { SOURCES } from '../registry.ts'
import type { Cover, ExternalLink, Media, SourceScore } from '../records/record-fields.ts'
import { distinctLinks, linkToUrl, linkToWebsite } from '../records/web-sites.ts'
import { ROLE_OF_APPEARANCE } from './archive/archive-codes.ts'
import type { Dependencies } from '../dump/dependencies.ts'
import type { Context } from './context.ts'
import { bookFacts, parseCount } from './books/book-facts.ts'
import { entryDate, parseDate, type KnownDate } from './infobox/dates.ts'
import { InfoboxReader } from './infobox/infobox-reader.ts'
import type { SubjectRow } from './archive/rows.ts'
import { distinctTexts } from './text.ts'

/** Removes the fields without a value: null, undefined, `''` and `[]`. Keeps false and 0. */
export function withoutEmpty<Fields extends object>(fields: Fields): Fields {
  for (const [key, value] of Object.entries(fields)) {
    const isEmpty =
      value === null ||
      value === undefined ||
      value === '' ||
      (Array.isArray(value) && value.length === 0)
    if (isEmpty) Reflect.deleteProperty(fields, key)
  }
  return fields
}

export function openInfobox(
  kind: string,
  row: { id: number; infobox: string },
  { report }: Context,
): InfoboxReader {
  const infobox = new InfoboxReader(row.infobox)
  if (infobox.isMalformed) report.note({ code: 'infobox.unreadable' }, `${kind} ${row.id}`)
  return infobox
}

export function linksOfInfobox(
  infobox: InfoboxReader,
  homepage: string | undefined,
): ExternalLink[] {
  const official = homepage && (linkToUrl(homepage) ?? linkToWebsite(homepage))
  return distinctLinks([official || undefined, ...infobox.urls().map(linkToUrl)])
}

/** Returns the fields that all works have. Tags are distinct, most likes first. */
export function workFields(row: SubjectRow, context: Context) {
  const tags = row.tags.toSorted((a, b) => b.likes - a.likes)
  return {
    nsfw: row.nsfw,
    tags: distinctBy(tags, ({ name }) => name),
    covers: coversOf(row, context),
    source_scores: scoresOf(row),
  }
}

/** Returns Bangumi's score of a work, which is the mean of its votes. */
function scoresOf({ score, votes, rank }: SubjectRow): SourceScore[] {
  if (votes < 1 || score < 1 || score > 10) return []
  return [{ source: 'bangumi', score, votes, rank: rank > 0 ? rank : null }]
}

/** Returns the cover, if its path is known. The Archive has no covers; their paths come from another file. */
export function coverOf(row: SubjectRow, { images }: Context): Media | undefined {
  const path = images.get(row.id)
  return path === undefined ? undefined : { ...pictureOf('cover', path), sexual: row.nsfw ? 2 : 0 }
}

/** Returns the cover as a list. Bangumi has no votes for covers, so they are 0. */
export function coversOf(row: SubjectRow, context: Context): Cover[] {
  const cover = coverOf(row, context)
  return cover ? [{ ...cover, votes: 0 }] : []
}

export function portraitOf(path: string | undefined): Media | undefined {
  return path === undefined ? undefined : pictureOf('crt', path)
}

/**
 * Returns a picture.
 *
 * @param path path within the folder of the picture's size at the image host
 */
export const pictureOf = (folder: 'cover' | 'crt', path: string): Media => ({
  url: `https://${SOURCES.bangumi.pictureHosts[0]}/pic/${folder}/l/${path}`,
  width: null,
  height: null,
  sexual: 0,
  violence: 0,
})

export type EntryTitles = { title: string; translated: string }

/** Returns the title, or the Chinese title if there is no other. Returns null if there is neither. */
export function titlesOf(row: SubjectRow): EntryTitles | null {
  if (row.name === '' && row.nameCn === '') return null
  return { title: row.name || row.nameCn, translated: row.nameCn }
}

export function aliasesOf(row: SubjectRow, infobox: InfoboxReader): string[] {
  return distinctTexts(infobox.values('别名'), [row.name, row.nameCn])
}

/** Returns the names of all tags. Tags by editors precede tags by users. */
export function tagNames(row: SubjectRow): string[] {
  return distinctTexts([...row.metaTags, ...row.tags.map(({ name }) => name)])
}

/** Returns a work's characters in billing order, each once. */
export function charactersOf(
  row: SubjectRow,
  { links }: Context,
): { ref: string; role: CharacterRole }[] {
  const appearances = (links.appearances.get(row.id) ?? []).flatMap(({ character, type }) => {
    const role = ROLE_OF_APPEARANCE.get(type)
    return role ? [{ ref: String(character), role }] : []
  })
  return distinctBy(appearances, ({ ref }) => ref)
}

/** Infobox keys of the first and last date, most specific first. `连载期间` contains both: `2007年11月号 - 2010年10月号`. */
const START_KEYS = ['开始', '连载开始']
const END_KEYS = ['结束', '连载结束', '完結', '完结']
const PERIOD_KEY = '连载期间'
export const SALE_KEYS = ['发售日', '发售日期', '发行日期', '发行日', '出版日期']

export type SerialDates = { startValues: string[]; endValues: string[] }

export function serialDatesOf(infobox: InfoboxReader): SerialDates {
  const periods = infobox.values(PERIOD_KEY).map((period) => period.split(/\s[-~〜～–—]\s|[~〜～]/))
  return {
    startValues: [...infobox.values(...START_KEYS), ...periods.flatMap(([start]) => start ?? [])],
    endValues: [...infobox.values(...END_KEYS), ...periods.flatMap(([, end]) => end ?? [])],
  }
}

const ABANDONED = /终止|終止|打切り|打ち切り|腰斩|腰斬/
const PAUSED = /休刊|休载|休載|停更/

/**
 * Number of calendar years after the start of a serial during which it counts as running if no other information
 * exists. With whole years, the records of a dump change less often than with exact days.
 */
const MAX_SERIAL_YEARS = 5
const ONGOING_COUNT = /既刊|连载|連載|未完|[至～~]\s*$|-\s*$/

/**
 * Returns a book's publication status, or `undefined` if nothing indicates it, as for a single book.
 *
 * The wiki's word for a series is weak evidence: an old series with a plain number of volumes is complete, and so is a
 * single book with an ISBN.
 */
export function statusOf(
  row: SubjectRow,
  infobox: InfoboxReader,
  { startValues, endValues }: SerialDates,
  { dependencies, classification }: Context,
): PublicationStatus | undefined {
  const ending = endValues.join(' ')
  const count = infobox.first('册数') ?? ''
  const hasTag = (tag: string) =>
    row.metaTags.includes(tag) || row.tags.some(({ name }) => name === tag)
  if (ABANDONED.test(ending) || row.metaTags.some((tag) => tag === '腰斩' || tag === '坑'))
    return 'ABANDONED'
  if (PAUSED.test(ending)) return 'PAUSED'
  const end = parseDate(ending)
  if (end !== undefined && !dependencies.isFuture(end)) return 'FINISHED'
  if (hasTag('已完结')) return 'FINISHED'
  if (hasTag('连载中') || ONGOING_COUNT.test(count)) return 'SERIALIZING'
  if (row.series) {
    const start = entryDate([...startValues, ...infobox.values(...SALE_KEYS)], row.date)
    if (start === undefined) return undefined
    if (mayBeRunning(start, dependencies)) return 'SERIALIZING'
  }
  if (classification.volumesOf.has(row.id)) return undefined
  // A single printed book is complete.
  const isBook = bookFacts(infobox).isbn !== undefined
  return isBook || (row.series && parseCount(count)) ? 'FINISHED' : undefined
}

const mayBeRunning = (start: KnownDate, dependencies: Dependencies) =>
  dependencies.isFuture(String(Number(start.slice(0, 4)) + MAX_SERIAL_YEARS + 1))
