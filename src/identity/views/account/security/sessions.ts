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
  const { accountSessions: words } = messages
  return {
    title: words.title,
    body: html`<p class="lead">${words.text}</p>
<table class="cards">
<thead><tr><th>${words.device}</th><th>${words.address}</th><th>${words.since}</th><th>${words.lastUsed}</th><td></td></tr></thead>
<tbody>${sessions.map((session) => sessionRow(page, session, session.uid === current, data.address))}</tbody>
</table>
${
  sessions.length > 1 &&
  html`<form method="post" action="/account/sessions/end-others">
${csrfField()}
<div class="actions"><button class="danger">${words.endOthers}</button></div>
</form>`
}
${
  trusted.length > 0 &&
  html`<h2>${words.trusted}</h2>
<p>${words.trustedText}</p>
<table class="cards">
<thead><tr><th>${words.device}</th><th>${words.address}</th><th>${words.trustedUntil}</th><td></td></tr></thead>
<tbody>${trusted.map((browser) => trustedRow(page, browser, data.address))}</tbody>
</table>`
}`,
  }
}

function sessionRow(page: PageContext, session: Session, isCurrent: boolean, here: string) {
  const { messages, csrfField } = page
  const { accountSessions: words } = messages
  const device = deviceName(messages, session.user_agent)
  return html`<tr>
<td data-label="${words.device}"><strong>${device}</strong>${isCurrent && html` <span class="tag">${words.thisOne}</span>`}</td>
<td data-label="${words.address}">${addressCell(page, session.address, here)}</td>
<td data-label="${words.since}">${timeElement(page, session.created_at)}</td>
<td data-label="${words.lastUsed}">${timeElement(page, session.last_used_at)}</td>
<td>${
    !isCurrent &&
    html`<form method="post" action="/account/sessions/end">
${csrfField()}
<input type="hidden" name="session" value="${session.uid}">
<button class="secondary" aria-label="${words.endLabel({ device, since: formatTime(page, session.created_at) })}">${words.end}</button>
</form>`
  }</td>
</tr>`
}

function trustedRow(page: PageContext, browser: TrustedBrowser, here: string) {
  const { messages, csrfField } = page
  const { accountSessions: words } = messages
  const device = deviceName(messages, browser.user_agent)
  return html`<tr>
<td data-label="${words.device}"><strong>${device}</strong></td>
<td data-label="${words.address}">${addressCell(page, browser.address, here)}</td>
<td data-label="${words.trustedUntil}">${timeElement(page, browser.expires_at)}</td>
<td><form method="post" action="/account/sessions/distrust">
${csrfField()}
<input type="hidden" name="browser" value="${browser.id}">
<button class="secondary" aria-label="${words.distrustLabel({ device, since: formatTime(page, browser.created_at) })}">${words.distrust}</button>
</form></td>
</tr>`
}

function addressCell({ messages }: PageContext, address: string, here: string) {
  const place = placeText(messages, address, here)
  return html`${address || messages.account.unknown}${place !== undefined && html`<br><span class="quiet">${place}</span>`}`
}
