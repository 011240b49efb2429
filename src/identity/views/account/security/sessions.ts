import type { TrustedBrowser } from '../../../../accounts/sign-in/trusted-browsers.ts'
import { deviceName } from '../../../../ui/device-name.ts'
import { html } from '../../../../ui/html.ts'
import type { PageContext } from '../../../../ui/page/page-context.ts'
import { timeElement, formatTime } from '../../../../ui/format-time.ts'
import type { listSessions } from '../../../provider/storage/session-queries.ts'
import type { AccountView } from '../frame.ts'
import { placeText } from '../place-text.ts'

type Session = Awaited<ReturnType<typeof listSessions>>[number]

export type SessionsData = {
  sessions: Session[]
  /** The `uid` of the current session, and its client address. */
  current: string
  address: string
  trusted: TrustedBrowser[]
}

/** Each form submits `session`, except that of the current session. Forms of trusted browsers submit `browser`. */
export function sessionsView(page: PageContext, data: SessionsData): AccountView {
  const { sessions, current, trusted } = data
  const { messages, csrfField } = page
  const { accountSessions: texts } = messages
  return {
    title: texts.title,
    body: html`<p class="lead">${texts.text}</p>
<table class="cards">
<thead><tr><th>${texts.device}</th><th>${texts.address}</th><th>${texts.since}</th><th>${texts.lastUsed}</th><td></td></tr></thead>
<tbody>${sessions.map((session) => sessionRow(page, session, session.uid === current, data.address))}</tbody>
</table>
${
  sessions.length > 1 &&
  html`<form method="post" action="/account/sessions/end-others">
${csrfField()}
<div class="actions"><button class="danger">${texts.endOthers}</button></div>
</form>`
}
${
  trusted.length > 0 &&
  html`<h2>${texts.trusted}</h2>
<p>${texts.trustedText}</p>
<table class="cards">
<thead><tr><th>${texts.device}</th><th>${texts.address}</th><th>${texts.trustedUntil}</th><td></td></tr></thead>
<tbody>${trusted.map((browser) => trustedRow(page, browser, data.address))}</tbody>
</table>`
}`,
  }
}

function sessionRow(page: PageContext, session: Session, isCurrent: boolean, here: string) {
  const { messages, csrfField } = page
  const { accountSessions: texts } = messages
  const device = deviceName(messages, session.user_agent)
  return html`<tr>
<td data-label="${texts.device}"><strong>${device}</strong>${isCurrent && html` <span class="tag">${texts.thisOne}</span>`}</td>
<td data-label="${texts.address}">${addressCell(page, session.address, here)}</td>
<td data-label="${texts.since}">${timeElement(page, session.created_at)}</td>
<td data-label="${texts.lastUsed}">${timeElement(page, session.last_used_at)}</td>
<td>${
    !isCurrent &&
    html`<form method="post" action="/account/sessions/end">
${csrfField()}
<input type="hidden" name="session" value="${session.uid}">
<button class="secondary" aria-label="${texts.endLabel({ device, since: formatTime(page, session.created_at) })}">${texts.end}</button>
</form>`
  }</td>
</tr>`
}

function trustedRow(page: PageContext, browser: TrustedBrowser, here: string) {
  const { messages, csrfField } = page
  const { accountSessions: texts } = messages
  const device = deviceName(messages, browser.user_agent)
  return html`<tr>
<td data-label="${texts.device}"><strong>${device}</strong></td>
<td data-label="${texts.address}">${addressCell(page, browser.address, here)}</td>
<td data-label="${texts.trustedUntil}">${timeElement(page, browser.expires_at)}</td>
<td><form method="post" action="/account/sessions/distrust">
${csrfField()}
<input type="hidden" name="browser" value="${browser.id}">
<button class="secondary" aria-label="${texts.distrustLabel({ device, since: formatTime(page, browser.created_at) })}">${texts.distrust}</button>
</form></td>
</tr>`
}

function addressCell({ messages }: PageContext, address: string, here: string) {
  const text = placeText(messages, address, here)
  return html`${address || messages.account.unknown}${text !== undefined && html`<br><span class="quiet">${text}</span>`}`
}
