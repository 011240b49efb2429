import { html, type Html } from '../../../pages/html.ts'
import type { Language } from '../../../pages/languages.ts'

/** A moment in the words of a language, to the minute, in UTC: what the reader's clock shows is not known here. */
export const whenText = (language: Language, at: Date): string =>
  new Intl.DateTimeFormat(language, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  }).format(at)

/** The same for programs too. */
export const when = (language: Language, at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${whenText(language, at)}</time>`
