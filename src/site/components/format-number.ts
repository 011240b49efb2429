import type { Language } from '../../i18n/languages.ts'
import { html, type Html } from '../../ui/html.ts'
import type { Messages } from '../../ui/messages.ts'

export const formatNumber = (language: Language, count: number): string =>
  count.toLocaleString(language)

/** Formats a score with one decimal. */
export const formatScore = (score: number): string => score.toFixed(1)

/** Renders a score with a star, which screen readers read as words. */
export const scoreMark = ({ browse: texts }: Messages, score: number): Html =>
  html`<span class="score"><span class="unseen">${texts.score({ score: formatScore(score) })}</span><span aria-hidden="true">★ ${formatScore(score)}</span></span>`
