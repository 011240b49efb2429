import type { AuditEvent } from '../../../audit/events.ts'
import { html } from '../../../ui/html.ts'
import type { Messages } from '../../../ui/messages.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { deviceName } from '../../../ui/device-name.ts'
import type { AccountView } from './frame.ts'
import { timeElement } from '../../../ui/format-time.ts'

export type HistoryData = {
  events: AuditEvent[]
  /** Names of existing apps, keyed by client id. */
  appNames: Map<string, string>
}

export function historyView(page: PageContext, { events, appNames }: HistoryData): AccountView {
  const { messages } = page
  const { account, accountHistory: texts } = messages
  const rows = events.map((event) => {
    const device = event.user_agent === null ? undefined : deviceName(messages, event.user_agent)
    const from = [device, event.address].filter(Boolean).join(', ') || account.unknown
    const details = detailsOf(messages, event, appNames)
    return html`<tr>
<td data-label="${texts.what}"><strong>${wordsOf(messages, event.kind)}</strong>${details && html`<br>${details}`}</td>
<td data-label="${texts.when}">${timeElement(page, event.at)}</td>
<td data-label="${texts.from}">${from}</td>
</tr>`
  })
  return {
    title: texts.title,
    body: html`<p class="lead">${texts.text}</p>
${
  rows.length > 0
    ? html`<table class="cards">
<thead><tr><th>${texts.what}</th><th>${texts.when}</th><th>${texts.from}</th></tr></thead>
<tbody>${rows}</tbody>
</table>`
    : html`<p>${texts.none}</p>`
}`,
  }
}

/** Returns the text for an event kind: the one for account owners, or else the desk's. */
const wordsOf = ({ accountHistory: { events, other }, kindNames }: Messages, kind: string) =>
  new Map(Object.entries({ ...kindNames.events, ...events })).get(kind) ?? other

/** Returns the app or passkey that an event concerns, or the methods of a sign-in. */
function detailsOf(
  { accountHistory }: Messages,
  { client_id, details }: AuditEvent,
  appNames: Map<string, string>,
) {
  const { client_name: itsName } = details
  if (client_id !== null)
    return appNames.get(client_id) ?? (typeof itsName === 'string' ? itsName : client_id)
  if (typeof details['name'] === 'string') return details['name']
  const { methods } = details
  if (!Array.isArray(methods)) return undefined
  const methodTexts = new Map(Object.entries(accountHistory.methods))
  return methods.flatMap((method) => methodTexts.get(String(method)) ?? []).join(', ')
}
