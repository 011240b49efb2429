import { html, type Html } from './html.ts'
import type { Messages } from './messages/en.ts'
import type { View } from './page.ts'

export type ErrorViewData = {
  messages: Messages
  /** Missing: the heading every failure has. */
  title?: string | undefined
  /** What is wrong and what to do now. */
  text: string
  /** Where to go from here. */
  wayOn?: { href: string; text: string } | undefined
  /** For readers who want to know exactly. */
  details?: Html | undefined
  /** With which the error can be found in the log. */
  requestId?: string | undefined
}

export function errorView({
  messages,
  title = messages.error.title,
  text,
  wayOn,
  details,
  requestId,
}: ErrorViewData): View {
  return {
    title,
    body: html`<h1>${title}</h1>
<div class="notice error" role="alert"><p>${text}</p></div>
${wayOn && html`<p class="links"><a href="${wayOn.href}">${wayOn.text}</a></p>`}
${details}
${requestId !== undefined && html`<p class="quiet">${messages.error.requestId} <code>${requestId}</code></p>`}`,
  }
}
