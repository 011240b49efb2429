import { DEVICE_GRANT, grantTypesOf } from '../../apps/rules/grant-types.ts'
import type { App } from '../../apps/queries.ts'
import { isApplicationScope } from '../../apps/rules/scopes.ts'
import { errorNotice } from '../../identity/views/form-parts.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { textField } from '../settings/app-form.ts'
import { appFrame, sectionPath } from '../app-frame.ts'
import { stepList, type HttpStep } from './http-step.ts'

/** Renders the flows that can be tried, each with the settings the app lacks for it. */
export function tryView(
  context: PageContext,
  app: App,
  { callback, steps = [], fault }: { callback: string; steps?: HttpStep[]; fault?: string },
): View {
  const { console: texts } = context.messages
  const path = sectionPath(app, 'try')
  const grants = grantTypesOf(app)
  const scopes = app.scopes.filter(isApplicationScope)
  return appFrame(context, app, {
    section: 'try',
    body: html`<p class="lead">${texts.tryLead}</p>
${errorNotice(fault)}
${steps.length > 0 && html`<section>${stepList(context, steps)}</section>`}
<section class="card"><h2>${texts.tryApp}</h2><p>${texts.tryAppText}</p>
${
  grants.includes('client_credentials')
    ? html`<form method="post" action="${path}/application">${context.csrfField()}
${secretField(context, 'own')}
${textField('scope', texts.scope, scopes.join(' '), { attributes: html` autocomplete="off" spellcheck="false"` })}
<button>${texts.run}</button></form>`
    : html`<p class="quiet">${app.client_type === 'public' ? texts.publicText : html`${texts.tryNeeds} <code>client_credentials</code>`}</p>`
}</section>
<section class="card"><h2>${texts.tryCode}</h2><p>${texts.tryCodeText}</p>
${codeFlow(context, app, callback)}</section>
<section class="card"><h2>${texts.tryDevice}</h2><p>${texts.tryDeviceText}</p>
${
  grants.includes(DEVICE_GRANT)
    ? html`<form method="post" action="${path}/device">${context.csrfField()}
${app.client_type === 'confidential' && secretField(context, 'device')}
${textField('asked', texts.scope, signInScopes(app), { attributes: html` autocomplete="off" spellcheck="false"` })}
<button>${texts.begin}</button></form>`
    : html`<p class="quiet">${texts.tryNeeds} <code>${DEVICE_GRANT}</code></p>`
}</section>`,
  })
}

function codeFlow(context: PageContext, app: App, callback: string): Html {
  const { console: texts } = context.messages
  const path = sectionPath(app, 'try')
  if (!app.redirect_uris.includes(callback))
    return html`<p>${texts.registerTryText}</p><p><code>${callback}</code></p>
<form method="post" action="${path}/register">${context.csrfField()}<button class="secondary">${texts.registerTry}</button></form>`
  const canSignIn = grantTypesOf(app).includes('authorization_code')
  return html`${
    canSignIn
      ? html`<form method="post" action="${path}/begin">${context.csrfField()}
${textField('wanted', texts.scope, signInScopes(app), { attributes: html` autocomplete="off" spellcheck="false"` })}
<button>${texts.begin}</button></form>`
      : html`<p class="quiet">${texts.tryNeeds} <code>authorization_code</code></p>`
  }
<form method="post" action="${path}/unregister">${context.csrfField()}<button class="plain">${texts.unregisterTry}</button></form>`
}

/** Returns every scope the app may request, plus offline_access if it can refresh tokens. */
const signInScopes = (app: App) =>
  [
    'openid',
    ...(grantTypesOf(app).includes('refresh_token') ? ['offline_access'] : []),
    ...app.scopes,
  ].join(' ')

/** Renders the provider's response and the form that continues with it. */
export function tryResponseView(
  context: PageContext,
  app: App,
  data: { steps: HttpStep[]; search: string; fault: string | undefined },
): View {
  const { console: texts } = context.messages
  const path = sectionPath(app, 'try')
  return appFrame(context, app, {
    section: 'try',
    body: html`<h2>${texts.tryCode}</h2>
${errorNotice(data.fault)}
${stepList(context, data.steps)}
${
  data.fault === undefined
    ? html`<form method="post" action="${path}/exchange" class="card">${context.csrfField()}<input type="hidden" name="response" value="${data.search}">
${app.client_type === 'confidential' && secretField(context, 'exchange')}
<p class="quiet">${texts.exchangeHint}</p><button>${texts.exchange}</button></form>`
    : html`<p><a class="button" href="${path}">${texts.tryAgain}</a></p>`
}`,
  })
}

/** Renders a field for the app's secret, which is used for one request. `id` keeps the fields of a page distinct. */
export const secretField = ({ messages: { console: texts } }: PageContext, id: string): Html =>
  textField(`${id}-secret`, texts.typeSecret, '', {
    name: 'secret',
    hint: texts.typeSecretHint,
    attributes: html` type="password" autocomplete="off" required`,
  })
