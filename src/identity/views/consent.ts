import type { AppCard } from '../../apps/app-card-queries.ts'
import { hiddenFields } from '../../ui/forms/forms.ts'
import { html, type Html } from '../../ui/html.ts'
import type { Messages } from '../../ui/messages.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { formatDay, type Clock } from '../../ui/format-time.ts'
import type { DeviceRequest } from '../provider/requests/device-request.ts'
import {
  WRITE_SCOPES,
  scopeFieldName,
  mandatoryScopes,
  groupScopes,
  shownScopes,
} from './consent-scopes.ts'
import { legalLinks } from './legal-notice.ts'
import { deviceFacts } from './device.ts'

export type ConsentData = {
  action: string
  app: AppCard & {
    /** Host of the redirect URI; empty in the device flow, where the browser stays on this site. */
    redirectHost: string
    /** Whether the redirect leads to a program on the user's device, to this service or to another site. */
    leadsTo: 'device' | 'us' | 'elsewhere'
    /** True if the app has no secret, which means that any program can impersonate it. */
    isPublic: boolean
  }
  account: { id: number; name: string; email: string }
  requested: string[]
  /** Scopes that the app requires, requested or not. */
  required?: string[]
  /** Requested scopes that the user has already allowed. */
  already: string[]
  withheld: string[]
  /** Scopes to list as not granted. */
  notAllowed: string[]
  /** Limits of offline access, if the app requests it. */
  offline: { until: Date; maxIdleDays: number } | undefined
  /** The device's request; missing outside of the device flow. */
  device?: DeviceRequest | undefined
  /** Fingerprint of the document that describes an app without registration; empty for registered apps. */
  document?: string
}

/** Part of the page context that a preview also provides. */
export type ConsentContext = Pick<PageContext, 'messages' | 'csrfField'> &
  Partial<Pick<PageContext, 'site'>> &
  Clock

/**
 * The form submits `decision` (`allow` or `deny`), the `account` that the page was shown to, `scopes_shown=yes`, and
 * `allow.SCOPE=yes` for each checked scope.
 */
export function consentPage(data: ConsentData, context: ConsentContext): View {
  const {
    action,
    app,
    account,
    requested,
    already,
    notAllowed,
    offline,
    device,
    document = '',
  } = data
  const { messages, csrfField } = context
  const texts = messages.consent
  const isNew = requested.some((scope) => !already.includes(scope))
  return {
    title: texts.title({ app: app.name }),
    scripts: ['/assets/account.js'],
    body: html`<div class="app-head">${appLogoImage(app)}<h1>${texts.title({ app: app.name })}</h1></div>
<p>${texts.asks({ app: app.name })}</p>
${app.documentHost !== null && html`<div class="notice"><p>${texts.unregistered({ host: app.documentHost })}</p></div>`}
<dl class="facts">
<div><dt>${messages.account.title}</dt><dd>${account.name}<br>${account.email}</dd></div>
${app.developer && html`<div><dt>${texts.developer}</dt><dd>${app.developer.name}<br><span class="quiet">${texts.developerSince({ day: formatDay(context, app.developer.since) })}</span></dd></div>`}
<div><dt>${texts.inUse}</dt><dd>${texts.readers({ amount: app.readers })}${app.createdAt !== null && html`<br><span class="quiet">${texts.appSince({ day: formatDay(context, app.createdAt) })}</span>`}</dd></div>
${app.homepage && html`<div><dt>${texts.website}</dt><dd>${uriLink(app.homepage)}</dd></div>`}
${app.redirectHost !== '' && html`<div><dt>${texts.redirectsTo}</dt><dd>${app.leadsTo !== 'elsewhere' && html`${app.leadsTo === 'us' ? texts.thisSite : texts.thisDevice}<br>`}<code>${app.redirectHost}</code></dd></div>`}
${device && deviceFacts(messages.device, context, device)}
</dl>
${device && html`<div class="notice"><p>${messages.device.warning}</p></div>`}
${app.isPublic && html`<div class="notice"><p>${texts.publicApp}</p></div>`}
${!isNew && html`<p>${texts.nothing}</p>`}
<form method="post" action="${action}">
${csrfField()}
${hiddenFields({ account: String(account.id), scopes_shown: 'yes', ...(document !== '' && { document }) })}
${permissionGroups(messages, data, isNew)}
${offline && html`<p>${texts.offline({ day: formatDay(context, offline.until), days: offline.maxIdleDays })}</p>`}
<h2>${texts.wontBeAble}</h2>
<ul class="scopes">${[
      texts.password,
      ...notAllowed.map((scope) => withheldScopeText(messages, scope)),
    ].map(
      (text) =>
        html`<li class="denied"><span class="mark" aria-hidden="true">✗</span><span>${text}</span></li>`,
    )}</ul>
<div class="actions side-by-side">
<button name="decision" value="allow">${texts.allow}</button>
<button class="secondary" name="decision" value="deny">${texts.deny}</button>
</div>
</form>
<p class="quiet">${texts.removeAccess}</p>
${termsLinks(messages, app)}
${legalLinks(context)}`,
  }
}

/** Lists the permissions by group. Scopes that the app does not require have a checkbox. */
function permissionGroups(messages: Messages, data: ConsentData, isNew: boolean) {
  const { app, requested, required = [], already, withheld } = data
  const texts = messages.consent
  const mandatory = mandatoryScopes(required)
  const shown = shownScopes(requested, mandatory)
  const groups = groupScopes(shown)
  if (groups.length === 0) return undefined
  const isNeeded = (scope: string) => scope !== 'openid' && mandatory.has(scope)
  return html`<h2>${texts.willBeAble}</h2>
${shown.some(isNeeded) && html`<p class="quiet">${texts.needs({ app: app.name })}</p>`}
${shown.some((scope) => !mandatory.has(scope)) && html`<p class="quiet">${texts.choose}</p>`}
${groups.map(
  ({ group, scopes }) => html`<fieldset class="wishes"><legend>${texts.groups[group]}</legend>
<ul class="scopes">${scopes.map((scope) =>
    permissionItem(messages, scope, {
      already: isNew && already.includes(scope),
      isTicked: !withheld.includes(scope),
      isMandatory: mandatory.has(scope),
    }),
  )}</ul></fieldset>`,
)}`
}

function permissionItem(
  messages: Messages,
  scope: string,
  { already, isTicked, isMandatory }: { already: boolean; isTicked: boolean; isMandatory: boolean },
) {
  const texts = messages.consent
  const tags = html`${isMandatory && scope !== 'openid' && html` <span class="tag">${texts.needed}</span>`}${WRITE_SCOPES.has(scope) && html` <span class="tag risky">${texts.changes}</span>`}${already && html` <span class="tag">${texts.already}</span>`}`
  if (isMandatory)
    return html`<li class="granted"><span class="mark" aria-hidden="true">✓</span><span>${scopeText(messages, scope)}${tags}</span></li>`
  return html`<li class="granted"><label class="check"><input type="checkbox" name="${scopeFieldName(scope)}" value="yes"${isTicked && html` checked`}><span>${scopeText(messages, scope)}${tags}</span></label></li>`
}

/** Logo of an app, or the first letter of its name. */
export const appLogoImage = ({ logo, name }: Pick<AppCard, 'logo' | 'name'>): Html =>
  logo !== null && logo.startsWith('/')
    ? html`<img class="app-logo" src="${logo}" alt="" width="56" height="56">`
    : html`<span class="app-logo initial" aria-hidden="true">${[...name][0] ?? '?'}</span>`

function termsLinks({ consent: texts }: Messages, { privacy, terms }: AppCard) {
  if (privacy === null && terms === null) return undefined
  return html`<p class="quiet">${privacy !== null && uriLink(privacy, texts.privacy)}${
    privacy !== null && terms !== null && ' · '
  }${terms !== null && uriLink(terms, texts.terms)}</p>`
}

export const scopeText = ({ scopes }: Messages, scope: string) =>
  new Map(Object.entries(scopes)).get(scope) ?? scope

const withheldScopeText = (messages: Messages, scope: string) =>
  new Map(Object.entries(messages.withheldScopes)).get(scope) ?? scopeText(messages, scope)

/**
 * Links to an http or https URL. Shows any other URL as text, because it could run a script. Host names are shown in
 * ASCII, as browsers send them, because letters of other alphabets can imitate another host.
 */
const uriLink = (uri: string, text = URL.parse(uri)?.href ?? uri) =>
  /^https?:\/\//i.test(uri)
    ? html`<a href="${uri}" rel="noopener nofollow noreferrer">${text}</a>`
    : html`${uri}`
