import type { DateText, PartialDateText } from '../../records/record-fields.ts'
import { toHalfWidth } from '../text.ts'

/** Full or partial date: `2004-04-28`, `1984-08` or `1992`. */
export type KnownDate = string

type Shape = { pattern: RegExp; order: ('year' | 'month' | 'day' | 'english')[] }

/**
 * Date formats on the wiki, most precise first. Issue numbers are not months (`2003年13号`, `2000年第43号`): a month needs
 * `月`, or a separator before it and neither a digit nor `号` after it. Bounded repetitions keep the matching time
 * linear.
 */
const SHAPES: Shape[] = [
  {
    pattern:
      /(\d{4})\s{0,9}(?:年|[-/.])\s{0,9}-?(\d{1,2})\s{0,9}(?:月|[-/.])\s{0,9}(\d{1,2})(?!\d)/,
    order: ['year', 'month', 'day'],
  },
  { pattern: /(?<!\d)(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?!\d)/, order: ['day', 'month', 'year'] },
  {
    pattern: /([A-Z][a-z]{2})[a-z]{0,9}\.?\s{1,9}(\d{1,2}),?\s{1,9}(\d{4})(?!\d)/,
    order: ['english', 'day', 'year'],
  },
  {
    pattern: /(?<!\d)(\d{1,2})\s{1,9}([A-Z][a-z]{2})[a-z]{0,9}\.?,?\s{1,9}(\d{4})(?!\d)/,
    order: ['day', 'english', 'year'],
  },
  { pattern: /(\d{4})\s{0,9}年\s{0,9}(\d{1,2})\s{0,9}月/, order: ['year', 'month'] },
  { pattern: /(?<!\d)(\d{4})[-/.](\d{1,2})(?![\d号])/, order: ['year', 'month'] },
  { pattern: /(?<!\d)(\d{4})(?!\d)/, order: ['year'] },
]

const ENGLISH_MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** Returns the most precise date in a string. In `2010-08-06 (2010年9月号)`, the result is the day, not the issue. */
export function parseDate(text: string): KnownDate | undefined {
  const plain = withWesternYears(toHalfWidth(text)).replaceAll(/[‐‑−]/g, '-')
  for (const { pattern, order } of SHAPES) {
    const found = pattern.exec(plain)
    const date = found && toKnownDate(found.slice(1), order)
    if (date) return date
  }
  return undefined
}

/** Year before the first year of each Japanese era. */
const ERAS: Readonly<Record<string, number>> = {
  明治: 1867,
  大正: 1911,
  昭和: 1925,
  平成: 1988,
  令和: 2018,
}
const ERA_YEAR = /(\()?(明治|大正|昭和|平成|令和) ?(\d{1,2}|元) ?年?(\))?/g

/** Rewrites `平成16年4月28日` as `2004年4月28日`. An era in brackets only repeats the year: `2004年(平成16年)4月28日`. */
const withWesternYears = (text: string) =>
  text.replaceAll(
    ERA_YEAR,
    (_all, opening: string | undefined, era: string, year: string, closing) => {
      if (opening !== undefined && closing !== undefined) return ''
      const western = (ERAS[era] ?? 0) + (year === '元' ? 1 : Number(year))
      return `${opening ?? ''}${western}年${closing ?? ''}`
    },
  )

function toKnownDate(texts: string[], order: Shape['order']): KnownDate | undefined {
  const part = (name: Shape['order'][number]) => texts[order.indexOf(name)]
  const english = part('english')
  const month = english === undefined ? part('month') : String(ENGLISH_MONTHS.indexOf(english) + 1)
  const date = [part('year'), month, part('day')]
    .filter((text) => text !== undefined)
    .map((text) => text.padStart(2, '0'))
    .join('-')
  return isCalendarDate(date) ? date : undefined
}

/** Rejects dates such as 2021-13 and 2021-02-30. */
function isCalendarDate(date: KnownDate): boolean {
  const full = `${date}-01-01`.slice(0, 10)
  const time = new Date(`${full}T00:00:00Z`)
  return (
    !Number.isNaN(time.getTime()) && time.toISOString().startsWith(full) && !date.startsWith('0000')
  )
}

export function fullDate(date: KnownDate | undefined): DateText | undefined {
  return date?.length === 10 ? date : undefined
}

export function knownPartOf(date: KnownDate | undefined): PartialDateText | undefined {
  return fullDate(date) === undefined ? date : undefined
}

/**
 * Combines several values: returns the first date, made more precise by a later date that agrees with it (`1996年12月`,
 * then `1996-12-11`).
 */
export function combineDates(values: string[]): KnownDate | undefined {
  const [first, ...others] = values.map(parseDate).filter((date) => date !== undefined)
  if (first === undefined || fullDate(first)) return first
  return others.find((date) => date.length > first.length && date.startsWith(`${first}-`)) ?? first
}

/**
 * Returns an entry's date. The Archive writes a month as its first day. Its `date` therefore counts only if the
 * infobox has no date, and a first day counts only as its month.
 *
 * @param archiveDate `YYYY-MM-DD` or `''`
 */
export function entryDate(infoboxValues: string[], archiveDate: string): KnownDate | undefined {
  const stated = combineDates(infoboxValues)
  if (stated !== undefined) return stated
  const date = parseDate(archiveDate)
  return fullDate(date)?.endsWith('-01') ? date?.slice(0, 7) : date
}
