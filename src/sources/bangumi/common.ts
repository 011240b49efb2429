import type { CharacterRole, PublicationStatus } from '../../catalog/enums.ts'
import { distinctBy } from '../../kernel/distinct-by.ts'
import { SOURCES } from '../registry.ts'
import type { Cover, ExternalLink, Media } from '../records/record-fields.ts'
import { distinctLinks, linkToAddress, linkToWebsite } from '../records/web-sites.ts'
import { ROLE_OF_APPEARANCE } from './archive/archive-codes.ts'
import type { Dependence } from '../dump/dependence.ts'
import type { Context } from './context.ts'
import { bookFacts, parseCount } from './books/book-facts.ts'
import { entryDate, parseDate, type KnownDate } from './infobox/dates.ts'
import { InfoboxReader } from './infobox/infobox-reader.ts'
import type { SubjectRow } from './archive/rows.ts'
import { distinctTexts } from './text.ts'

/** The same fields without those that say nothing: null, undefined, `''` and `[]`. False and 0 stay. */
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

/** Opens an entry's infobox; the report names one that cannot be read. */
export function openInfobox(
  kind: string,
  row: { id: number; infobox: string },
  { report }: Context,
): InfoboxReader {
  const infobox = new InfoboxReader(row.infobox)
  if (infobox.isMalformed) report.note({ code: 'infobox.unreadable' }, `${kind} ${row.id}`)
  return infobox
}

/** An official site, and pages at the sites we know. */
export function linksOfInfobox(
  infobox: InfoboxReader,
  homepage: string | undefined,
): ExternalLink[] {
  const official = homepage && (linkToAddress(homepage) ?? linkToWebsite(homepage))
  return distinctLinks([official || undefined, ...infobox.addresses().map(linkToAddress)])
}

/** What every work has. Tags most liked first, each name once. */
export function workFields(row: SubjectRow, context: Context) {
  const tags = row.tags.toSorted((a, b) => b.likes - a.likes)
  return {
    nsfw: row.nsfw,
    tags: distinctBy(tags, ({ name }) => name),
    covers: coversOf(row, context),
  }
}

/** The archive itself has no covers; they come from a file of image paths beside it. */
export function coverOf(row: SubjectRow, { images }: Context): Media | undefined {
  const path = images.get(row.id)
  return path === undefined ? undefined : { ...image('cover', path), sexual: row.nsfw ? 2 : 0 }
}

/** The cover as a list of at most one; the wiki's readers do not vote on covers. */
export function coversOf(row: SubjectRow, context: Context): Cover[] {
  const cover = coverOf(row, context)
  return cover ? [{ ...cover, votes: 0 }] : []
}

/** A portrait of a person or character, or a producer's logo. */
export function portraitImage(path: string | undefined): Media | undefined {
  return path === undefined ? undefined : image('crt', path)
}

/** @param path of the picture within the folder of its size at the image host */
export const image = (folder: 'cover' | 'crt', path: string): Media => ({
  url: `https://${SOURCES.bangumi.pictureHosts[0]}/pic/${folder}/l/${path}`,
  width: null,
  height: null,
  sexual: 0,
  violence: 0,
})

export type EntryTitles = { title: string; translated: string }

/** The title and the Chinese one, which alone stands in when it is all there is; null when there is neither. */
export function titlesOf(row: SubjectRow): EntryTitles | null {
  if (row.name === '' && row.nameCn === '') return null
  return { title: row.name || row.nameCn, translated: row.nameCn }
}

export function aliasesOf(row: SubjectRow, infobox: InfoboxReader): string[] {
  return distinctTexts(infobox.values('别名'), [row.name, row.nameCn])
}

/** Names of all tags, the wiki's own before the readers'. */
export function tagNames(row: SubjectRow): string[] {
  return distinctTexts([...row.metaTags, ...row.tags.map(({ name }) => name)])
}

/** The cast of a work in billing order, each character once. */
export function cast(row: SubjectRow, { links }: Context): { ref: string; role: CharacterRole }[] {
  const appearances = (links.appearances.get(row.id) ?? []).flatMap(({ character, type }) => {
    const role = ROLE_OF_APPEARANCE.get(type)
    return role ? [{ ref: String(character), role }] : []
  })
  return distinctBy(appearances, ({ ref }) => ref)
}

/** The keys of a work's first and last day, most telling first. `连载期间` holds both: `2007年11月号 - 2010年10月号`. */
const START_KEYS = ['开始', '连载开始']
const END_KEYS = ['结束', '连载结束', '完結', '完结']
const PERIOD_KEY = '连载期间'
export const SALE_KEYS = ['发售日', '发售日期', '发行日期', '发行日', '出版日期']

export type Run = { startValues: string[]; endValues: string[] }

/** When a serial ran, as the infobox words it. */
export function runOf(infobox: InfoboxReader): Run {
  const periods = infobox.values(PERIOD_KEY).map((period) => period.split(/\s[-~〜～–—]\s|[~〜～]/))
  return {
    startValues: [...infobox.values(...START_KEYS), ...periods.flatMap(([start]) => start ?? [])],
    endValues: [...infobox.values(...END_KEYS), ...periods.flatMap(([, end]) => end ?? [])],
  }
}

const ABANDONED = /终止|終止|打切り|打ち切り|腰斩|腰斬/
const PAUSED = /休刊|休载|休載|停更/

/**
 * Calendar years after that of its beginning in which a serial that nothing more is said of is still taken for a running one:
 * by days a dump would say something else nearly every day.
 */
const RUNNING_YEARS = 5
const COUNTED_SO_FAR = /既刊|连载|連載|未完|[至～~]\s*$|-\s*$/

/**
 * Returns the publication status of a book, or `undefined` if nothing states it, as for a single book. Being a series on the
 * wiki is weak evidence: an old one with a plain number of volumes is complete, and so is a single book with its ISBN.
 */
export function statusOf(
  row: SubjectRow,
  infobox: InfoboxReader,
  { startValues, endValues }: Run,
  { dependence, plan }: Context,
): PublicationStatus | undefined {
  const ending = endValues.join(' ')
  const count = infobox.first('册数') ?? ''
  const hasTag = (tag: string) =>
    row.metaTags.includes(tag) || row.tags.some(({ name }) => name === tag)
  if (ABANDONED.test(ending) || row.metaTags.some((tag) => tag === '腰斩' || tag === '坑'))
    return 'ABANDONED'
  if (PAUSED.test(ending)) return 'PAUSED'
  const end = parseDate(ending)
  if (end !== undefined && !dependence.isToCome(end)) return 'FINISHED'
  if (hasTag('已完结')) return 'FINISHED'
  if (hasTag('连载中') || COUNTED_SO_FAR.test(count)) return 'SERIALIZING'
  if (row.series) {
    const start = entryDate([...startValues, ...infobox.values(...SALE_KEYS)], row.date)
    if (start === undefined) return undefined
    if (mayRun(start, dependence)) return 'SERIALIZING'
  }
  if (plan.volumesOf.has(row.id)) return undefined
  // One printed book is complete.
  const isBook = bookFacts(infobox).isbn !== undefined
  return isBook || (row.series && parseCount(count)) ? 'FINISHED' : undefined
}

const mayRun = (start: KnownDate, dependence: Dependence) =>
  dependence.isToCome(String(Number(start.slice(0, 4)) + RUNNING_YEARS + 1))
