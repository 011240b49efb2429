import { html, type Html } from './html.ts'
import type { Language } from './languages.ts'

/** Whose words and whose clock a moment is told in. */
export type Clock = {
  language: Language
  /** As the reader has chosen it; missing: UTC, and a script tells it by the browser's own. */
  timeZone?: string | undefined
}

/** English of no single country has the day before the month, and a clock of 24 hours: it cannot be read in two ways. */
const LOCALES: Record<Language, string> = { en: 'en-GB', ja: 'ja', 'zh-Hans': 'zh-Hans' }

/** A moment in the words of a language, to the minute, with the zone at its end. */
export function whenText({ language, timeZone = 'UTC' }: Clock, at: Date): string {
  const parts = {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  } as const
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(LOCALES[language], { ...options, hourCycle: 'h23', timeZone })
  const zone = format({ hour: '2-digit', timeZoneName: 'short' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value
  return `${format(parts).format(at)} ${zone ?? timeZone}`
}

/** The day alone. */
export const dayText = ({ language, timeZone = 'UTC' }: Clock, at: Date): string =>
  new Intl.DateTimeFormat(LOCALES[language], { dateStyle: 'long', timeZone }).format(at)

/** The moment for programs too, such as the script that tells it by the browser's clock where the reader has chosen none. */
export const when = (clock: Clock, at: Date): Html =>
  html`<time datetime="${at.toISOString()}"${clock.timeZone === undefined && html` data-local`}>${whenText(clock, at)}</time>`

/** Names of time zones that can be chosen. */
export const timeZones = (): string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')]
