import { hiddenFields } from '../../pages/forms.ts'
import { html, type Html } from '../../pages/html.ts'
import type { Language } from '../../pages/languages.ts'
import type { Messages } from '../../pages/messages/en.ts'
import type { View } from '../../pages/page.ts'
import type { DeviceRequest } from '../provider/device-request.ts'
import { deviceFacts } from './device.ts'

export type ConsentData = {
  messages: Messages
  language: Language
  csrf: Html
  action: string
  app: {
    name: string
    uri?: string | null
    /** Where the browser goes with the answer; empty: it stays, and a device asks for the answer. */
    redirectHost: string
    /** Whether it cannot keep a secret, so that any program may claim to be it. */
    isPublic: boolean
  }
  account: { id: number; name: string; email: string }
  /** Scopes, in the order of the page. */
  requested: string[]
  /** Those of them that were allowed before. */
  already: string[]
  /** Scopes to name among what the app will not get. */
  notAllowed: string[]
  /** Whether it keeps its access while the reader is away. */
  offline: boolean
  /** Of a device that asks. */
  device?: DeviceRequest | undefined
}

/** Sends `decision`: `allow` or `deny`, and the `account` it was shown to. */
export function consentView({
  messages,
  language,
  csrf,
  action,
  app,
  account,
  requested,
  already,
  notAllowed,
  offline,
  device,
}: ConsentData): View {
  const words = messages.consent
  // offline_access has a sentence of its own, which says when it ends.
  const listed = requested.filter((scope) => scope !== 'offline_access')
  const isNew = requested.some((scope) => !already.includes(scope))
  return {
    title: words.title(app.name),
    body: html`<h1>${words.title(app.name)}</h1>
<p>${words.asks(app.name)}</p>
<dl class="facts">
<div><dt>${messages.account.title}</dt><dd>${account.name}<br>${account.email}</dd></div>
${app.uri && html`<div><dt>${words.website}</dt><dd>${addressLink(app.uri)}</dd></div>`}
${app.redirectHost !== '' && html`<div><dt>${words.sendsTo}</dt><dd><code>${app.redirectHost}</code></dd></div>`}
${device && deviceFacts(messages.device, language, device)}
</dl>
${device && html`<div class="notice"><p>${messages.device.warning}</p></div>`}
${app.isPublic && html`<div class="notice"><p>${words.publicApp}</p></div>`}
${!isNew && html`<p>${words.nothing}</p>`}
${
  listed.length > 0 &&
  html`<h2>${words.willBeAble}</h2>
<ul class="scopes">${listed.map((scope) => grantedItem(messages, scope, isNew && already.includes(scope)))}</ul>`
}
${offline && html`<p>${words.offline}</p>`}
<h2>${words.wontBeAble}</h2>
<ul class="scopes">${[words.password, ...notAllowed.map((scope) => withheldScopeText(messages, scope))].map(
      (text) =>
        html`<li class="denied"><span class="mark" aria-hidden="true">✗</span><span>${text}</span></li>`,
    )}</ul>
<form method="post" action="${action}">
${csrf}
${hiddenFields({ account: String(account.id) })}
<div class="actions side-by-side">
<button name="decision" value="allow">${words.allow}</button>
<button class="secondary" name="decision" value="deny">${words.deny}</button>
</div>
</form>
<p class="quiet">${words.takeBack}</p>`,
  }
}

const grantedItem = (messages: Messages, scope: string, already: boolean) =>
  html`<li class="granted"><span class="mark" aria-hidden="true">✓</span><span>${scopeText(messages, scope)}${
    already && html` <span class="tag">${messages.consent.already}</span>`
  }</span></li>`

const scopeText = ({ scopes }: Messages, scope: string) => new Map(Object.entries(scopes)).get(scope) ?? scope

const withheldScopeText = (messages: Messages, scope: string) =>
  new Map(Object.entries(messages.withheldScopes)).get(scope) ?? scopeText(messages, scope)

/** A link to an address of the web; any other would run what an app's owner wrote, and is only shown. */
const addressLink = (uri: string) =>
  /^https?:\/\//i.test(uri)
    ? html`<a href="${uri}" rel="noopener nofollow noreferrer">${uri}</a>`
    : html`${uri}`
