import type { FoundApp } from '../../apps/operator/search-queries.ts'
import type { FoundEvent } from '../../audit/search-queries.ts'
import { loadedField } from '../../ui/forms/form-state.ts'
import { html, type Html, type Part } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import {
  actionForms,
  deskView,
  expandableActionForm,
  factList,
  findView,
  timeText,
} from '../desk-view.ts'
import { eventTable } from '../log/event-table.ts'

/** Returns the path of an app's page. The id of an app without registration is a URL. */
export const deskAppPath = (clientId: string) => `/desk/apps/${encodeURIComponent(clientId)}`

const developerLink = (
  { messages }: PageContext,
  { account_id: id, developer, document_host: host }: FoundApp,
): Part =>
  id === null
    ? host === null
      ? messages.desk.apps.operators
      : messages.desk.apps.documentFrom({ host })
    : html`<a href="/desk/accounts/${id}">${developer ?? id}</a>`

const stateText = ({ messages }: PageContext, { is_enabled: isEnabled }: FoundApp): Part =>
  isEnabled ? messages.desk.apps.enabled : html`<strong>${messages.desk.apps.disabled}</strong>`

/** Renders the search results for apps. */
export function deskAppsView(
  context: PageContext,
  { apps, query, denied }: { apps: FoundApp[]; query: string; denied: string[] },
): View {
  const { desk: texts } = context.messages
  const { columns } = texts
  return findView(context, 'apps', {
    query,
    before: denied.length > 0 && deniedHosts(context, denied),
    rows: apps.map((app) => ({
      name: app.client_name,
      href: deskAppPath(app.client_id),
      marks: [app.is_enabled ? undefined : stateText(context, app)],
      facts: [
        developerLink(context, app),
        html`<code>${app.client_id}</code>`,
        app.requests_per_minute !== null &&
          `${columns.limit}: ${app.requests_per_minute.toLocaleString(context.language)}`,
        timeText(context, app.created_at),
      ],
    })),
  })
}

/** Lists the hosts whose apps are refused, each with a button. */
function deniedHosts(context: PageContext, hosts: string[]): Html {
  const { apps: texts } = context.messages.desk
  return html`<details><summary>${texts.deniedHosts}</summary><ul class="rows">${hosts.map(
    (host) =>
      html`<li><code>${host}</code>${expandableActionForm(context, {
        action: '/desk/denied-hosts/allow',
        button: texts.allowHost,
        fields: { host },
      })}</li>`,
  )}</ul></details>`
}

export type AppData = {
  app: FoundApp
  events: FoundEvent[]
  notice: Html | undefined
  /** Limit that was refused because of a conflict, with its reason. */
  typed?: { limit: string; note: string } | undefined
}

/** Renders one app with the available actions and its history. */
export function deskAppView(context: PageContext, { app, events, notice, typed }: AppData): View {
  const { desk: texts } = context.messages
  const { columns, apps: own, accounts } = texts
  const path = deskAppPath(app.client_id)
  const limit = app.requests_per_minute
  return deskView(context, {
    part: 'apps',
    title: app.client_name,
    notice,
    body: html`${factList(context, [
      [columns.id, html`<code>${app.client_id}</code>`],
      [own.owner, developerLink(context, app)],
      [columns.state, stateText(context, app)],
      [columns.limit, limit ?? '–'],
      ['OAuth', app.scopes.join(' ')],
      [columns.created, timeText(context, app.created_at)],
    ])}
<h2>${accounts.acts}</h2>${actionForms(context, [
      {
        action: `${path}/${app.is_enabled ? 'disable' : 'enable'}`,
        title: app.is_enabled ? own.disable : own.enable,
        button: app.is_enabled ? own.disable : own.enable,
        isDangerous: app.is_enabled,
      },
      {
        action: `${path}/limit`,
        title: own.limit,
        button: own.limit,
        note: typed?.note,
        controls: html`${loadedField({ requests_per_minute: limit })}<div class="field"><label for="limit">${own.limitHint}</label><input id="limit" name="limit" inputmode="numeric" maxlength="7" autocomplete="off" value="${typed?.limit ?? limit}"></div>`,
      },
      ...(app.document_host === null
        ? []
        : [
            {
              action: `${path}/deny-host`,
              title: own.denyHost,
              button: own.denyHost,
              isDangerous: true,
              controls: html`<p>${own.denyHostHint({ host: app.document_host })}</p>`,
            },
          ]),
    ])}
<h2>${accounts.history}</h2>${eventTable(context, events)}`,
  })
}
