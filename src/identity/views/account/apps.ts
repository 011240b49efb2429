import { logoUrlOf } from '../../../apps/app-response.ts'
import { html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { formatDay, timeElement } from '../../../ui/format-time.ts'
import { offlineAccessLimits } from '../../lifetimes.ts'
import type { listConnectedApps } from '../../provider/storage/consent-queries.ts'
import { WRITE_SCOPES, groupScopes, shownScopes } from '../consent-scopes.ts'
import { appLogoImage, scopeText } from '../consent.ts'
import type { AccountView } from './frame.ts'

type ConnectedApp = Awaited<ReturnType<typeof listConnectedApps>>[number]

/** Each form submits `client_id`. */
export function appsView(page: PageContext, apps: ConnectedApp[]): AccountView {
  const { accountApps: texts } = page.messages
  return {
    title: texts.title,
    body: html`<p class="lead">${texts.text}</p>
${apps.length > 0 ? apps.map((app) => card(page, app)) : html`<p>${texts.none}</p>`}`,
  }
}

function card(page: PageContext, app: ConnectedApp) {
  const { messages, csrfField } = page
  const { accountApps: texts } = messages
  const { groups, changes, offline } = messages.consent
  const logo = logoUrlOf({ logo: null, logo_hash: app.logo_hash })
  const { until, maxIdleDays } = offlineAccessLimits(app.updated_at)
  return html`<section class="card">
<div class="app-head">${appLogoImage({ logo, name: app.client_name })}<h2>${app.client_name}</h2></div>
${app.document_host !== null && html`<p class="quiet">${messages.consent.unregistered({ host: app.document_host })}</p>`}
${app.client_uri !== null && html`<p class="quiet">${app.client_uri}</p>`}
<h3>${texts.mayDo}</h3>
${groupScopes(shownScopes(app.scopes)).map(
  ({ group, scopes }) => html`<h4>${groups[group]}</h4>
<ul class="scopes">${scopes.map(
    (scope) =>
      html`<li class="granted"><span class="mark" aria-hidden="true">✓</span><span>${scopeText(messages, scope)}${WRITE_SCOPES.has(scope) && html` <span class="tag risky">${changes}</span>`}</span></li>`,
  )}</ul>`,
)}
${app.scopes.includes('offline_access') && html`<p>${offline({ day: formatDay(page, until), days: maxIdleDays })}</p>`}
<dl class="facts">
<div><dt>${texts.since}</dt><dd>${timeElement(page, app.created_at)}</dd></div>
<div><dt>${texts.lastUsed}</dt><dd>${timeElement(page, app.last_used_at)}</dd></div>
</dl>
<form method="post" action="/account/apps/withdraw">
${csrfField()}
<input type="hidden" name="client_id" value="${app.client_id}">
<button class="secondary" aria-label="${texts.withdrawLabel({ app: app.client_name })}">${texts.withdraw}</button>
</form>
</section>`
}
