import { memoize } from '../kernel/async/memoize.ts'
import { html, type Html } from './html.ts'
import { LANGUAGE_FACTS, type Language } from '../i18n/languages.ts'

/** Whose words and whose clock a moment is told in. */
export type Clock = {
  language: Language
  /** As the reader has chosen it; missing: UTC, and a script tells it by the browser's own. */
  timeZone?: string | undefined
}

/** Locales and zones whose formats are kept; a reader's choice of zone is one of some hundred. */
const MAX_FORMATS = 50

const localeOf = (language: Language) => LANGUAGE_FACTS[language].dates ?? language

/** A moment in the words of a language, to the minute, with the zone at its end. */
export function whenText({ language, timeZone = 'UTC' }: Clock, at: Date): string {
  const { minute, zone } = formatsOf(`${localeOf(language)} ${timeZone}`)
  const zoneName = zone.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value
  return `${minute.format(at)} ${zoneName ?? timeZone}`
}

/** The day alone. */
export const dayText = ({ language, timeZone = 'UTC' }: Clock, at: Date): string =>
  formatsOf(`${localeOf(language)} ${timeZone}`).day.format(at)

/** By locale and zone, with a space between. They are kept: to make one costs more than a hundred uses of it. */
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
}, MAX_FORMATS)

/** The moment for programs too, such as the script that tells it by the browser's clock where the reader has chosen none. */
export const when = (clock: Clock, at: Date): Html =>
  html`<time datetime="${at.toISOString()}"${clock.timeZone === undefined && html` data-local`}>${whenText(clock, at)}</time>`

/** Names of time zones that can be chosen. */
export const timeZones = (): string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')]
