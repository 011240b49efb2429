import { html, type Html } from '../html.ts'
import type { Messages } from '../messages.ts'
import type { View } from './page.ts'
import type { NearEntry } from './site.ts'

export type ErrorViewData = {
  messages: Messages
  /** HTTP status, if there is one. */
  status?: number
  /** Defaults to the general heading of errors. */
  title?: string | undefined
  /** Explains the error and what to do now. */
  text: string
  /** Invalid fields, each with the reason. */
  faults?: readonly string[] | undefined
  /** Link to the next step. */
  nextLink?: { href: string; text: string } | undefined
  /** Seconds until a retry makes sense; NaN if unknown. */
  retryAfterSeconds?: number
  /** Entries to suggest on a missing page. */
  nearest?: readonly NearEntry[]
  /** Technical details for developers. */
  details?: Html | undefined
  /** Identifies the error in the log. */
  requestId?: string | undefined
}

export function errorView({
  messages,
  status,
  title = messages.error.title,
  text,
  faults = [],
  nextLink,
  retryAfterSeconds = Number.NaN,
  nearest = [],
  details,
  requestId,
}: ErrorViewData): View {
  const { error: texts } = messages
  const isMissing = status === 404 || status === 405
  return {
    title,
    head: { robots: 'noindex' },
    ...(retryAfterSeconds > 0 && { scripts: ['/assets/countdown.js'] }),
    body: html`<h1>${title}</h1>
${isMissing ? html`<p>${text}</p>` : html`<div class="notice error" role="alert"><p>${text}</p>${faults.length > 0 && html`<ul>${faults.map((fault) => html`<li>${fault}</li>`)}</ul>`}</div>`}
${retryAfterSeconds > 0 && html`<p class="number" data-countdown="${retryAfterSeconds}" data-ready="${texts.ready}">${texts.wait({ seconds: () => html`<span>${retryAfterSeconds}</span>` })}</p>`}
${nearest.length > 0 && nearestView(messages, nearest)}
${isMissing && searchForm(messages)}
${nextLink && html`<div class="actions"><a class="button" href="${nextLink.href}">${nextLink.text}</a></div>`}
${details}
${requestId !== undefined && html`<p class="quiet">${texts.requestId} <code>${requestId}</code></p>`}
<p class="links"><a href="/">${messages.layout.home}</a> <a href="/account">${messages.account.title}</a></p>`,
  }
}

const nearestView = ({ layout }: Messages, nearest: readonly NearEntry[]) =>
  html`<h2>${layout.didYouMean}</h2>
<ul class="near">${nearest.map(({ href, text, lang }) => html`<li><a class="tap" href="${href}"${lang !== undefined && html` lang="${lang}"`}>${text}</a></li>`)}</ul>`

const searchForm = ({ layout }: Messages) =>
  html`<form class="again" role="search" action="/search" aria-label="${layout.searchInstead}">
<label for="again">${layout.searchInstead}</label>
<div class="row"><input id="again" type="search" name="q" maxlength="300" enterkeyhint="search"><button>${layout.search}</button></div>
</form>`

/** Explains an error when only its HTTP status is known. */
export function explainStatus(
  status: number,
  texts: Messages['error'],
): { title?: string; text: string } {
  if (status === 404 || status === 405) return { title: texts.notFoundTitle, text: texts.notFound }
  if (status === 413) return { text: texts.tooLarge }
  if (status === 429) return { title: texts.tooManyTitle, text: texts.tooMany }
  if (status === 503) return { title: texts.unavailableTitle, text: texts.unavailable }
  if (status >= 500) return { text: texts.unexpected }
  if (status === 401 || status === 403) return { text: texts.refused }
  return { text: texts.unreadable }
}
