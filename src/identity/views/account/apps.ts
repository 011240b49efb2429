import { html } from '../../../pages/html.ts'
import type { PageContext } from '../../../pages/page-context.ts'
import type { AccountView } from './frame.ts'
import { when } from '../../../pages/when.ts'

type ConnectedApp = {
  client_id: string
  client_name: string
  client_uri: string | null
  scopes: string[]
  created_at: Date
  last_used_at: Date
}

/** Each form sends `client_id`. */
export function appsView(page: PageContext, apps: ConnectedApp[]): AccountView {
  const { accountApps: words } = page.messages
  return {
    title: words.title,
    body: html`<p class="lead">${words.text}</p>
${apps.length > 0 ? apps.map((app) => card(page, app)) : html`<p>${words.none}</p>`}`,
  }
}

function card(page: PageContext, app: ConnectedApp) {
  const { messages, csrfField } = page
  const { accountApps: words } = messages
  const scopeTexts = Object.entries(messages.scopes)
  return html`<section class="card">
<h2>${app.client_name}</h2>
${app.client_uri !== null && html`<p class="quiet">${app.client_uri}</p>`}
<h3>${words.mayDo}</h3>
<ul class="scopes">${scopeTexts
    .filter(([scope]) => app.scopes.includes(scope))
    .map(
      ([, text]) =>
        html`<li class="granted"><span class="mark" aria-hidden="true">✓</span><span>${text}</span></li>`,
    )}</ul>
<dl class="facts">
<div><dt>${words.since}</dt><dd>${when(page, app.created_at)}</dd></div>
<div><dt>${words.lastUsed}</dt><dd>${when(page, app.last_used_at)}</dd></div>
</dl>
<form method="post" action="/account/apps/withdraw">
${csrfField()}
<input type="hidden" name="client_id" value="${app.client_id}">
<button class="danger" aria-label="${words.withdrawLabel(app.client_name)}">${words.withdraw}</button>
</form>
</section>`
}
