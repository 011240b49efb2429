import { memoize } from '../kernel/async/memoize.ts'
import { html, type Html } from './html.ts'
import { LANGUAGE_FACTS, type Language } from '../i18n/languages.ts'

/** Language and time zone in which times are shown. */
export type Clock = {
  language: Language
  /**
   * Time zone the user chose. If undefined, times are rendered in UTC and a script converts them to
   * the browser's zone.
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

/**
 * Cached by locale and zone, separated by a space: creating a format costs more than a hundred uses
 * of it.
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
  }
}, MAX_CACHED_FORMATS)

/**
 * Renders a `<time>` element. If the user chose no time zone, a script converts it to the browser's
 * zone.
 */
export const timeElement = (clock: Clock, at: Date): Html =>
  html`<time datetime="${at.toISOString()}"${clock.timeZone === undefined && html` data-local`}>${formatTime(clock, at)}</time>`

export const listTimeZones = (): string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')]
