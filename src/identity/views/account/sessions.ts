import { html } from '../../../pages/html.ts'
import type { PageContext } from '../../../pages/page-context.ts'
import { deviceName } from './device-name.ts'
import type { AccountView } from './frame.ts'
import { when, whenText } from './when.ts'

type Session = { uid: string; user_agent: string; address: string; created_at: Date; last_used_at: Date }

export type SessionsData = {
  sessions: Session[]
  /** The `uid` of the one that asks. */
  current: string
}

/** Each form but that of this session sends `session`. */
export function sessionsView(page: PageContext, { sessions, current }: SessionsData): AccountView {
  const { messages, csrfField } = page
  const { accountSessions: words } = messages
  return {
    title: words.title,
    wide: true,
    body: html`<p class="lead">${words.text}</p>
<table class="cards">
<thead><tr><th>${words.device}</th><th>${words.address}</th><th>${words.since}</th><th>${words.lastUsed}</th><td></td></tr></thead>
<tbody>${sessions.map((session) => row(page, session, session.uid === current))}</tbody>
</table>
${
  sessions.length > 1 &&
  html`<form method="post" action="/account/sessions/end-others">
${csrfField()}
<div class="actions"><button class="danger">${words.endOthers}</button></div>
</form>`
}`,
  }
}

function row({ language, messages, csrfField }: PageContext, session: Session, isCurrent: boolean) {
  const { account, accountSessions: words } = messages
  const device = deviceName(messages, session.user_agent)
  return html`<tr>
<td data-label="${words.device}"><strong>${device}</strong>${isCurrent && html` <span class="tag">${words.thisOne}</span>`}</td>
<td data-label="${words.address}">${session.address || account.unknown}</td>
<td data-label="${words.since}">${when(language, session.created_at)}</td>
<td data-label="${words.lastUsed}">${when(language, session.last_used_at)}</td>
<td>${
    !isCurrent &&
    html`<form method="post" action="/account/sessions/end">
${csrfField()}
<input type="hidden" name="session" value="${session.uid}">
<button class="secondary" aria-label="${words.endLabel(device, whenText(language, session.created_at))}">${words.end}</button>
</form>`
  }</td>
</tr>`
}
