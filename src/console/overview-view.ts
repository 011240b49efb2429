import { keysOf } from '../kernel/typed-records.ts'
import { grantTypesOf } from '../apps/rules/grant-types.ts'
import type { App } from '../apps/queries.ts'
import type { RefusedRequest } from '../apps/usage/refused-request-buffer.ts'
import { timeElement } from '../ui/format-time.ts'
import { html, type Html } from '../ui/html.ts'
import type { PageContext } from '../ui/page/page-context.ts'
import type { View } from '../ui/page/page.ts'
import { formatNumber } from '../site/components/format-number.ts'
import { codeBlock } from '../site/components/code-block.ts'
import { EXAMPLE_REDIRECT_URI, snippetRedirectUri, snippetsOf } from '../guide/snippets.ts'
import { appFrame, copyField, sectionPath } from './app-frame.ts'
import { groupRefused, refusedGroups } from './refused-view.ts'

export type AppOverviewData = {
  /** True if the form that created the app was submitted again. */
  wasMadeBefore: boolean
  readers: number
  lastUse: Date | undefined
  refused: RefusedRequest[]
  authUrl: string
  baseUrl: string
}

/** Number of groups of refused requests shown here. The usage page shows the rest. */
const SHOWN_GROUPS = 3

export function appOverviewView(context: PageContext, app: App, data: AppOverviewData): View {
  const { messages } = context
  const { console: texts } = messages
  return appFrame(context, app, {
    section: 'overview',
    notice: data.wasMadeBefore ? createdEarlierNotice(context, app) : undefined,
    body: html`${copyField(context, 'client-id', texts.clientId, app.client_id)}
<dl class="facts">
<div><dt>${texts.usedBy}</dt><dd>${formatNumber(context.language, data.readers)}</dd></div>
<div><dt>${texts.lastUse}</dt><dd>${data.lastUse ? timeElement(context, data.lastUse) : texts.never}</dd></div>
${app.redirect_uris.length > 0 && html`<div><dt>${texts.addresses}</dt><dd>${app.redirect_uris.map((uri) => html`<code>${uri}</code><br>`)}</dd></div>`}
${app.scopes.length > 0 && html`<div><dt>${texts.scope}</dt><dd>${app.scopes.map((scope) => html`<code>${scope}</code> `)}</dd></div>`}
</dl>
<section><h2>${texts.lastRefused}</h2>
${data.refused.length === 0 ? html`<p class="quiet">${texts.noRefused}</p>` : html`${refusedGroups(context, app, groupRefused(data.refused).slice(0, SHOWN_GROUPS))}<p><a href="${sectionPath(app, 'usage')}">${texts.sections.usage}</a></p>`}</section>
${snippets(context, app, data)}`,
  })
}

function createdEarlierNotice({ messages: { console: texts } }: PageContext, app: App): Html {
  const secrets = html`<a href="${sectionPath(app, 'secrets')}">${texts.sections.secrets}</a>`
  return html`${texts.alreadyCreated} ${app.client_type === 'confidential' && html`${texts.alreadyCreatedSecret} ${secrets}. `}${texts.alreadyCreatedOther} <a href="/console/new">${texts.newApp}</a>.`
}

/** Scopes with which an app can read the catalog on its own behalf. */
const READ_CATALOG = new Set(['catalog:read', 'catalog:full'])

const FLOWS = {
  'client-credentials': 'client_credentials',
  code: 'authorization_code',
  device: 'urn:ietf:params:oauth:grant-type:device_code',
} as const

function snippets(
  { messages: { console: texts } }: PageContext,
  app: App,
  { authUrl, baseUrl }: AppOverviewData,
): Html {
  const grants = grantTypesOf(app)
  const flows = keysOf(FLOWS).filter((flow) => grants.includes(FLOWS[flow]))
  const described = {
    clientId: app.client_id,
    clientType: app.client_type,
    authentication: app.token_endpoint_auth_method,
    baseUrl,
    authUrl,
    redirectUri: app.redirect_uris.find((uri) => snippetRedirectUri(uri) === uri),
  }
  const settings = html`<a href="${sectionPath(app, 'settings')}">${texts.sections.settings}</a>`
  /** Notices about settings that the sample programs need and the app lacks, keyed by flow. */
  const missingSettings = {
    'client-credentials':
      !app.scopes.some((scope) => READ_CATALOG.has(scope)) &&
      html`<p class="notice">${texts.needsCatalog} ${settings}</p>`,
    code:
      described.redirectUri === undefined &&
      html`<p class="notice">${texts.needsLoopback} <code>${EXAMPLE_REDIRECT_URI}</code> ${settings}</p>`,
    device: false,
  } as const
  return html`<section class="snippets"><h2>${texts.snippets}</h2><p class="quiet">${texts.snippetsHint}</p>
${flows.map(
  (flow) =>
    html`<h3>${texts.flows[flow]}</h3>${missingSettings[flow]}${snippetsOf(described, flow).map(
      ({ label, file, text }) =>
        html`<details><summary>${label} <code>${file}</code></summary>${codeBlock(text, label)}</details>`,
    )}`,
)}</section>`
}
