import { memoize } from '../kernel/async/memoize.ts'
import { html, type Html } from './html.ts'
import { LANGUAGE_FACTS, type Language } from '../i18n/languages.ts'

/** Language and time zone in which times are shown. */
export type Clock = {
  language: Language
  /**
   * Time zone the user chose. If undefined, times are rendered in UTC and a script converts them to the browser's zone.
   */
  timeZone?: string | undefined
}

/** Maximum number of cached formats. Users choose among several hundred time zones. */
const MAX_CACHED_FORMATS = 50

const localeOf = (language: Language) => LANGUAGE_FACTS[language].dates ?? language

/** Formats a time to the minute, followed by the name of its zone. */
export function formatTime({ language, timeZone = 'UTC' }: Clock, at: Date): string {
  const { minute, zone } = formatsOf(`${localeOf(language)} ${timeZone}`)
  const zoneName = zone.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value
  return `${minute.format(at)} ${zoneName ?? timeZone}`
}

export const formatDay = ({ language, timeZone = 'UTC' }: Clock, at: Date): string =>
  formatsOf(`${localeOf(language)} ${timeZone}`).day.format(at)

/** Formats for a year, a year and month, and a full date. */
const SHORT_DATES: Intl.DateTimeFormatOptions[] = [
  { year: 'numeric' },
  { year: 'numeric', month: 'short' },
  { year: 'numeric', month: 'short', day: 'numeric' },
]

/**
 * Cached by locale and zone, separated by a space: creating a format costs more than a hundred uses of it.
 */
const formatsOf = memoize((localeAndZone) => {
  const [locale, timeZone] = localeAndZone.split(' ')
  const clock = { hourCycle: 'h23', timeZone } as const
  return {
    minute: new Intl.DateTimeFormat(locale, {
      year: 'numeric',
      month: 'short',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      ...clock,
    }),
    zone: new Intl.DateTimeFormat(locale, { hour: '2-digit', timeZoneName: 'short', ...clock }),
    day: new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone }),
    short: SHORT_DATES.map((options) => new Intl.DateTimeFormat(locale, { ...options, timeZone })),
  }
}, MAX_CACHED_FORMATS)

/**
 * Renders a `<time>` element. If the user chose no time zone, a script converts it to the browser's zone.
 */
export const timeElement = (clock: Clock, at: Date): Html =>
  html`<time datetime="${at.toISOString()}"${clock.timeZone === undefined && html` data-local`}>${formatTime(clock, at)}</time>`

/**
 * Renders a day of the calendar, such as a release date. It is the same day in every time zone.
 *
 * @param time day, or midnight UTC as the API represents it
 */
export function dayElement(language: Language, time: string): Html {
  const day = time.slice(0, 10)
  return html`<time datetime="${day}">${formatDay({ language }, new Date(day))}</time>`
}

/** Formats a year, a month or a day: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`. Returns other texts unchanged. */
export function formatShortDate(language: Language, date: string): string {
  const at = new Date(date)
  if (!/^\d{4}(?:-\d\d){0,2}$/.test(date) || Number.isNaN(at.getTime())) return date
  const { short } = formatsOf(`${localeOf(language)} UTC`)
  return short[date.split('-').length - 1]?.format(at) ?? date
}

/** Renders a year, a month or a day. */
export const shortDateElement = (language: Language, date: string): Html =>
  html`<time datetime="${date}">${formatShortDate(language, date)}</time>`

/** Renders the day of a time, for tables. */
export const shortDayElement = ({ language, timeZone = 'UTC' }: Clock, at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${formatsOf(`${localeOf(language)} ${timeZone}`).short[2]?.format(at)}</time>`

const MINUTE_MS = 60_000

/** Units of relative times, each with its length in milliseconds. */
const UNITS = [
  ['month', 30 * 24 * 60 * MINUTE_MS],
  ['day', 24 * 60 * MINUTE_MS],
  ['hour', 60 * MINUTE_MS],
  ['minute', MINUTE_MS],
] as const

const YEAR_MS = 365 * 24 * 60 * MINUTE_MS

const relativeFormatOf = memoize(
  (language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }),
  MAX_CACHED_FORMATS,
)

/**
 * Renders how long ago something happened, with the time as a tooltip. After a year, renders the day.
 *
 * @param now time of the database, in milliseconds since 1970
 */
export function relativeTimeElement(clock: Clock, at: Date, now: number): Html {
  const age = now - at.getTime()
  const [unit, length] = UNITS.find(([, ms]) => age >= ms) ?? (['minute', MINUTE_MS] as const)
  const text =
    age >= YEAR_MS
      ? formatDay(clock, at)
      : relativeFormatOf(clock.language).format(-Math.max(0, Math.floor(age / length)), unit)
  return html`<time datetime="${at.toISOString()}" title="${formatTime(clock, at)}">${text}</time>`
}

export const listTimeZones = (): string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')]
